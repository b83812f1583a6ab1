package turncli

import "strings"

// alike are words of English and of computing that people use for one another, a
// group a line. It is general vocabulary: no line of it was made for one toolkit.
const alike = `
create add new make insert open
update edit change modify adjust alter set
delete remove erase trash drop
get show read view fetch see display retrieve
list all overview
search find lookup query locate look
send post write submit
start run launch trigger begin execute
stop cancel end abort kill terminate halt
restart reboot retry rerun repeat again
assign give hand delegate
move transfer shift
copy duplicate clone
buy purchase order
reserve book reservation booking
approve accept confirm agree
reject decline refuse deny
enable activate
disable deactivate off
pause hold
mute silence quiet
download save fetch
upload import
export dump
share grant permission access
revoke withdraw
restore recover undo revert rollback
schedule plan appointment
reschedule postpone delay snooze
notify alert warn remind notification warning reminder
subscribe watch follow
compare diff difference
merge combine join
verify check test validate inspect
calculate compute estimate
summarise summarize summary digest
comment note remark
answer reply respond response
email mail
message text sms
package parcel shipment
vacation holiday leave
employee staff colleague coworker worker
person people user somebody someone everybody everyone
customer client
supplier vendor
invoice bill
salary wage pay payroll
meeting appointment event call
picture photo image snapshot
phone telephone call ring
doctor physician
medicine medication drug
car vehicle automobile
issue ticket bug incident
document file doc
folder directory
article page
repository repo
error failure fault problem
broken defect
cost price fee rate
money amount payment
available free vacant
current now present today
previous earlier old past history
password credential secret
website site web
computer laptop machine
device gadget
journey trip travel
flight plane aircraft
train railway
hotel accommodation room
shop store
food meal dish
song music track
light lamp
heating heat temperature thermostat
visitor guest
student pupil
mark grade
course class
agreement contract
applicant candidate
job position opening
stock inventory
electricity power energy
animal pet
exercise workout
illness sick ill
chart graph diagram
database db
certificate cert tls ssl
kubernetes k8s kubectl
deploy deployment release rollout
container pod
server host
pipeline build ci
pr pull request
dm direct private
2fa otp factor
docs documentation document
label tag
priority importance urgency severity
owner responsible assignee
team group
status state condition
version revision
member participant attendee
place location position address
deadline due
timetable agenda calendar
todo task
film video clip
audio sound voice
speech speak aloud
route way directions
near nearby around
distance length
fuel petrol
bicycle bike
storm gale
alarm alert
motion movement moved
consumption usage
vaccination vaccine inoculation
revenue turnover sales income
expense spending
refund reimbursement reimburse
offer quote quotation
owe debt outstanding unpaid overdue
shipping delivery postage
courier carrier
hire recruit
training lesson course
badge card
log journal
memory ram
cpu processor load
disk storage space capacity
slow latency
column field
row record entry
threshold limit
incident outage
duty call shift
internal private confidential
remaining left balance
urgent important
big large
small little
fast quick speed
begin beginning start
end expire expiry lapse
`

// synonyms are the other words for a word, as stems.
var synonyms = func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(alike) {
		group := words(line)
		for i, a := range group {
			for j, b := range group {
				if i != j && a != b {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
}()
