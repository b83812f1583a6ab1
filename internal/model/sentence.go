package model

import (
	"fmt"
	"time"
)

// Sentence is what the room reads: what went wrong and what to do next, in plain words.
func (e *Error) Sentence() string {
	text := e.what()
	if e.Remedy != "" {
		return text + " " + e.Remedy
	}
	if next := e.next(); next != "" {
		return text + " " + next
	}
	return text
}

func (e *Error) what() string {
	who := fmt.Sprintf("The model provider (%s)", e.Provider)
	switch e.Kind {
	case KindAuth:
		if e.Status == 0 {
			return who + " has no API key."
		}
		return who + " refused the API key."
	case KindRateLimit:
		return who + " is limiting how much may be asked of it."
	case KindOverloaded:
		return who + " cannot answer at the moment."
	case KindContextOverflow:
		return "The conversation has grown longer than the model can read."
	case KindBadRequest:
		return who + " did not accept the request."
	case KindNetwork:
		return who + " could not be reached, or the connection broke."
	case KindTimeout:
		return who + " stopped sending and the wait was given up."
	case KindRefused:
		return who + " declined to answer this request."
	case KindCancelled:
		return "The answer was cancelled."
	default:
		return who + " failed."
	}
}

func (e *Error) next() string {
	switch e.Kind {
	case KindAuth:
		return "Ask the operator to check the key and its permissions."
	case KindRateLimit:
		if e.RetryAfter > 0 {
			return fmt.Sprintf("Please try again in %s.", e.RetryAfter.Round(time.Second))
		}
		return "Please try again in a minute; if it keeps happening, ask the operator to raise the provider's limit."
	case KindOverloaded, KindTimeout:
		return "Please try again in a few minutes."
	case KindContextOverflow:
		return "Start a new thread, or ask for less at once. An operator can set the model's context_window, so that it is shortened in time."
	case KindBadRequest:
		if e.Status == 404 {
			return fmt.Sprintf("Ask the operator to check that the model id %q exists there.", e.Model)
		}
		return "Ask the operator to look at the log and at the model's settings."
	case KindNetwork:
		return "Please try again; if it keeps happening, ask the operator to check the provider's address and the network."
	case KindRefused:
		return "Please ask in another way."
	case KindCancelled:
		return ""
	default:
		return "Please try again; if it keeps happening, ask the operator to look at the log."
	}
}
