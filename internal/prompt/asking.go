package prompt

// asking is what an agent in standard mode reads of interactive questions
// (spec/runtime.md 3.15, 7.2).
const asking = "To have the person choose, end your answer with a fenced code block tagged `interactive` that holds " +
	"{\"question\": \"…\", \"options\": [{\"emoji\": \"…\", \"label\": \"…\", \"value\": \"…\"}]} with one to five options: " +
	"it is shown as a question, and what they choose is the next message you read."

// InteractiveGuide is how an agent asks an interactive question: the whole of
// what asking says in one sentence, for whoever looks it up (M37).
const InteractiveGuide = `# Asking a question with options

You can ask the person you act for to choose between one and five options. End your answer with one fenced code block tagged "interactive":

` + "```interactive" + `
{"question": "Which report do you want?", "options": [
  {"emoji": "📅", "label": "This week", "value": "week"},
  {"emoji": "📆", "label": "This month", "value": "month"}
]}
` + "```" + `

- question: what you ask. label: what the person reads of an option. value: what you read when it is chosen; without it, it is the label.
- emoji: one for each option, all different. An option without one gets its number.
- The block is shown as a question with numbered options, never as JSON. The person reacts with an emoji or types a number; nobody else can answer.
- The block is the end of your turn: do not wait for the choice and do not guess it. It comes as the next message of the conversation, with the question, the label and the value.
- One question an answer. Your next answer in the conversation closes a question that was not answered; the person may also just write.
- It does not replace an approval: a call that needs one asks for it by itself.
- It works only in your answer, not in a message that a tool sends.
`
