# TOOLKIT and FUNCTION come from discovery; arguments.json follows describe.
status=0
receipt=$(mindroom-agent tools call "$TOOLKIT" "$FUNCTION" --json-file arguments.json) || status=$?
case "$status" in
  0|3) printf '%s\n' "$receipt" ;;
  *) printf '%s\n' "$receipt"; exit "$status" ;;
esac
call_id=$(printf '%s\n' "$receipt" | jq -r .call_id)
mindroom-agent calls wait "$call_id"
