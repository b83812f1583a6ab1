package wire

// Protocol is the version of the frames and of the files in a run folder. It changes whenever an older reader would misunderstand them.
const Protocol = 1

// Build names the build both binaries came from. A release sets it in both with -ldflags "-X mindroom/internal/supervise/wire.Build=…";
// the client refuses a supervisor of another build, because the two are installed together or not at all.
var Build = "dev"
