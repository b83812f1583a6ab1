package model

// Rough sizes for Estimate.
const (
	bytesPerToken = 4
	mediaTokens   = 1600 // an image of ordinary size
)

// Estimate is about how many tokens a request has: a quarter of its bytes, and a fixed number for each media. Every
// model counts in its own way, so half or twice as many is ordinary; whoever decides by it leaves room for that.
func Estimate(req Request) int {
	size := len(req.System)
	for _, t := range req.Tools {
		size += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	media := 0
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			switch p.Kind {
			case PartText:
				size += len(p.Text)
			case PartCall:
				size += len(p.Call.Name) + len(p.Call.Arguments)
			case PartResult:
				size += len(p.Result.Text)
				media += len(p.Result.Media)
			case PartOpaque:
				size += len(p.Opaque.Raw)
			case PartMedia:
				media++
			}
		}
	}
	return size/bytesPerToken + media*mediaTokens
}
