package explain

import (
	"errors"
	"fmt"
	"strings"

	"mindroom/internal/tool"
)

// ErrUnknown: the database has nothing of that id.
var ErrUnknown = errors.New("nothing of that id is in the database, or it is older than the retention window")

// AmbiguousError says that several calls have the id. One of Refs is meant.
type AmbiguousError struct {
	ID   string
	Refs []tool.Ref
}

// Error names some owners and how to choose.
func (e *AmbiguousError) Error() string {
	const most = 4
	owners := make([]string, 0, most+1)
	for i, r := range e.Refs {
		if i == most {
			owners = append(owners, "…")
			break
		}
		owners = append(owners, r.Owner)
	}
	return fmt.Sprintf("%d calls have the id %s (of %s): give the run or turn before it", len(e.Refs), e.ID, strings.Join(owners, ", "))
}
