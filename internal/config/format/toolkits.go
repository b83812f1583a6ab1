package format

import (
	"slices"
	"strings"
)

// known are the toolkits that the format has and a build of this program may lack. A file that names one is a right file: it is told
// that the toolkit is not here, where a slip of typing is refused. Sorted (spec/runtime.md 1, 1.5 and 6).
var known = strings.Fields(`
	agent_vault_access agentql airflow apify approved_egress arxiv aws_lambda aws_ses baidusearch bitbucket brandfetch brightdata
	browser browserbase cal_com calculator callback_manager cartesia claude_agent clickup coding compact_context composio
	config_manager confluence crawl4ai csv custom_api dalle daytona desi_vocal desktop discord docker duckdb duckduckgo
	dynamic_workflow e2b eleven_labs email exa external_trigger_manager fal file_generation financial_datasets_api firecrawl gemini
	giphy github gmail google_bigquery google_calendar google_docs google_drive google_maps google_scholar google_sheets googlesearch
	groq hackernews homeassistant invite_router jina jira linear linkup lumalabs matrix_api matrix_room matrix_voice_message mem0
	modelslabs moviepy_video_tools neo4j newspaper4k notion openai openbb openweather oxylabs pandas postgres pubmed python reasoning
	reddit redshift replicate report_publishing resend scheduler scrapegraph searxng self_config serpapi serper shopify slack sleep
	spider spotify sql subagents tavily telegram thread_model thread_resolution thread_summary thread_tags todo todoist trafilatura
	trello twilio unsplash update_awareness visualization web_browser_tools webex whatsapp wikipedia x yfinance youtube zendesk zep
	zoom
`)

// KnownToolkit reports whether the format has a toolkit of this name that a build may lack.
func KnownToolkit(name string) bool {
	_, found := slices.BinarySearch(known, name)
	return found
}

// KnownToolkits lists what KnownToolkit knows, sorted. The caller owns the slice.
func KnownToolkits() []string { return slices.Clone(known) }

// openclaw is the one preset of the format, a name for several toolkits.
const openclaw = "openclaw_compat"

// Presets lists the names that stand for several toolkits each. The caller owns the slice.
func Presets() []string { return []string{openclaw} }

// Preset is what a name stands for, in the order in which the toolkits are added; nil when it is no preset (spec/runtime.md 1.5).
func Preset(name string) []string {
	if name != openclaw {
		return nil
	}
	return []string{"shell", "coding", "duckduckgo", "website", "browser", "scheduler", "subagents", "matrix_message"}
}
