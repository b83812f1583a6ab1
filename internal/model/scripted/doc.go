// Package scripted is the offline model: it plays a file of rules. With it a demo, a test or a bug report can be
// replayed without a key and without a network. It is named "scripted (offline)" wherever a provider's name shows.
//
// The file is YAML, named by extra_kwargs.rules of a model with `provider: scripted`; without one a built-in set
// answers every message with itself and calls nothing.
//
//	version: 1                              # optional
//	rules:
//	  - name: read a page                   # optional, for messages
//	    when:
//	      agent: '^helper$'                 # regexp over the agent's name
//	      system: 'Matrix'                  # regexp over the system prompt
//	      user: 'read (?P<url>https?://\S+)' # regexp over the last user message
//	      turn: 1                           # the conversation holds so many user messages
//	      step: 0                           # so many answers of the model since the last of them
//	    say: 'Reading ${url} …'
//	    call:
//	      - tool: website__read_url
//	        args: {url: '${url}', limit: 5}
//	  - when:
//	      result: {tool: website__read_url, text: '"title":"(.*?)"', failed: false}
//	    say: 'It is called ${result.1} and has ${result:/words} words.'
//	  - when: {user: 'watch (\S+)'}
//	    call:
//	      - tool: script__start_script
//	        args:
//	          name: watcher
//	          source: {file: watcher.py, replace: {STATUS_URL: '${1}'}}
//	  - when: {user: 'break it'}
//	    call: [{tool: website__read_url, raw: '{"url": '}]   # arguments as they are, broken here
//	  - when: {user: 'be unavailable'}
//	    fail: overloaded                    # any kind of model.Error
//
// Rules:
//
//  1. The first rule that matches wins; all conditions of a rule must hold. `user` and the others are searched for
//     anywhere in the text; `tool` must match the whole name.
//  2. A rule without `result` answers a person: it is considered only when the conversation ends with a user message.
//     A rule with `result` is considered only when it ends with tool results; the last of them that fits is the one
//     that ${result…} speaks of. `result: {}` fits any.
//  3. ${0} is what `user` matched, ${1} and ${name} its groups, ${user} the whole message, ${agent} the agent's name.
//     ${result} is the text of the result, ${result.1} and ${result.name} groups of its `text`, ${result:/a/0} a value
//     in it by JSON pointer. $${ stands for a plain ${. A group that a regexp does not have is an error of the file.
//  4. An argument that is nothing but one ${result:/…} keeps its JSON type; everywhere else a value becomes text.
//  5. {file: path} as an argument is the text of that file, byte for byte, with the texts under `replace` put in place
//     of theirs; the path starts at the rules file. It is read once, with the rules. `args` itself is never one.
//  6. `stop: max_tokens` or `stop: refusal` ends an answer in that way.
//  7. When no rule matches, or a value it needs is not there, the answer says so and quotes the text.
//  8. The same transcript gets the same answer, ids of calls included. Usage is an estimate: four bytes a token.
//
// An error of the file names the file and the line.
package scripted
