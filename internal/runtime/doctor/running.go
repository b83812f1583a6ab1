package doctor

import (
	"fmt"
	"strings"
	"time"

	"mindroom/internal/config/reload"
	"mindroom/internal/control"
)

// blocked are the runs that have to end and cannot, each with what to restore.
func blocked(runs []control.Run) []Finding {
	var out []Finding
	for _, r := range runs {
		if r.Trouble != nil {
			out = append(out, Finding{"scripts left", Fail, fmt.Sprintf("%s has to end and cannot yet: %s", r.ID, r.Trouble.What), r.Trouble.Restore})
		}
	}
	return out
}

// inForce tells where a running primary does not have what is on disk.
func inForce(s reload.Standing) []Finding {
	const check = "configuration in force"
	var out []Finding
	if s.Fault != "" {
		out = append(out, Finding{check, Warn, "the one before the last change: " + s.Fault, "mend the file: it is taken up by itself"})
	}
	if len(s.Restart) > 0 {
		out = append(out, Finding{check, Warn, "the .env file has changed since the start: " + strings.Join(s.Restart, ", "), "restart MindRoom to take the variables up"})
	}
	if len(out) == 0 {
		found := "that of the start"
		if !s.Since.IsZero() {
			found = fmt.Sprintf("reloaded %s, the %d. of this start", s.Since.Format(time.RFC3339), s.Number)
		}
		out = append(out, Finding{check, OK, found, ""})
	}
	return out
}
