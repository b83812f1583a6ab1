package agentcli

// Build names the build this program came from. A release sets it in mindroom and in mindroom-agent alike with -ldflags "-X …";
// mindroom lays out no launcher of another build, because the two are installed together or not at all.
var Build = "dev"
