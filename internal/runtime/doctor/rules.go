package doctor

import (
	"context"
	"fmt"

	"mindroom/internal/approval"
	"mindroom/internal/hooks"
	"mindroom/internal/runtime"
)

// rules looks whether what guards calls could answer: the scripts of tool_approval
// and the programs of tool_hooks. One that cannot denies or declines every call it
// is asked about, which a running installation shows only in its log.
func (p *patient) rules(ctx context.Context) (found []Finding) {
	scripts := 0
	for _, rule := range p.cfg.Approval.Rules {
		if rule.Script != "" {
			scripts++
		}
	}
	if scripts > 0 {
		faults, unsure := approval.Validate(ctx, p.cfg.Approval, runtime.Interpreter(p.env))
		for _, fault := range faults {
			found = append(found, Finding{"approval scripts", Fail, fault.Error(), "mend it: until then every call that its rule matches is denied"})
		}
		for _, warning := range unsure {
			found = append(found, Finding{"approval scripts", Warn, warning.String(),
				"where it cannot be asked, every call that its rule matches is denied"})
		}
		if len(found) == 0 {
			found = append(found, Finding{"approval scripts", OK, fmt.Sprintf("%d rules ask scripts, which can be read", scripts), ""})
		}
	}
	if len(p.cfg.ToolHooks) == 0 {
		return found
	}
	faults := hooks.Validate(p.cfg.ToolHooks)
	for _, fault := range faults {
		found = append(found, Finding{"hooks", Fail, fault.Error(), "mend it: until then calls go as its on_error says, which denies unless set"})
	}
	if len(faults) == 0 {
		found = append(found, Finding{"hooks", OK, fmt.Sprintf("%d are configured; every program can be run", len(p.cfg.ToolHooks)), ""})
	}
	return found
}
