package runtime

import (
	"context"
	"os"
	"time"

	"mindroom/internal/lifecycle"
	"mindroom/internal/tool"
	"mindroom/internal/toolkit/agent"
	"mindroom/internal/toolkit/attachments"
	"mindroom/internal/toolkit/delegate"
	"mindroom/internal/toolkit/dynamictools"
	"mindroom/internal/toolkit/file"
	"mindroom/internal/toolkit/matrixmessage"
	"mindroom/internal/toolkit/memory"
	"mindroom/internal/toolkit/script"
	"mindroom/internal/toolkit/shell"
	"mindroom/internal/toolkit/website"
)

// kits is what toolkits drive.
type kits struct {
	processes *shell.Processes
	messages  matrixmessage.Deps
	files     attachments.Deps
	loading   dynamictools.Deps
	runs      func() script.Runs
	children  func() delegate.Children
}

// registry holds every toolkit of this build; adding one is one line.
func (k kits) registry() (*tool.Registry, error) {
	return tool.NewRegistry(
		agent.New(),
		website.New(nil),
		matrixmessage.New(k.messages),
		shell.New(k.processes, os.Environ()),
		file.New(),
		attachments.New(k.files),
		memory.New(time.Now),
		dynamictools.New(k.loading),
		script.New(k.runs),
		delegate.New(k.children),
	)
}

// Catalog is the registry for checking a configuration: its toolkits describe
// themselves and drive nothing.
func Catalog() (*tool.Registry, error) {
	return kits{
		processes: shell.NewProcesses(shell.Supervised{}, lifecycle.New(context.Background())),
		runs:      func() script.Runs { return nil },
		children:  func() delegate.Children { return nil },
	}.registry()
}
