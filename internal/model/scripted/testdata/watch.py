URL = "STATUS_URL"
print(f"${HOME} is not a place to fill", URL, "<&>")
