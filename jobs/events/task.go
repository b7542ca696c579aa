package events

import (
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
)

// The types of tasks.
const (
	TaskToolCall      = "tool-call"
	TaskAppointment   = "appointment"
	TaskSMS           = "sms"
	TaskEmail         = "email"
	TaskContactUpdate = "contact-update"
)

// The statuses of tasks that are done; messages that are on their way have those of their rows.
const (
	taskCompleted = "completed"
	taskFailed    = "failed"
)

// Task is something that followed from a call. The fields that its type has are set.
type Task struct {
	Type     string     `json:"type" enum:"tool-call,appointment,sms,email,contact-update" doc:"What was done."`
	ID       string     `json:"id" doc:"Of the tool call, appointment, message or contact."`
	Status   string     `json:"status" enum:"queued,sending,sent,completed,failed" doc:"How far it was when the report was written: sms and email are queued, sending, sent or failed, the others completed or failed."`
	Name     string     `json:"name,omitempty" doc:"The tool, or the type of the appointment."`
	To       string     `json:"to,omitempty" doc:"Who is written to: a phone number in E.164, or an e-mail address."`
	StartsAt *time.Time `json:"startsAt,omitempty" doc:"Of an appointment."`
	EndsAt   *time.Time `json:"endsAt,omitempty" doc:"Of an appointment."`
}

// ContactUpdate is the task that a call became its contact's last interaction.
func ContactUpdate(contactID uuid.UUID) Task {
	return Task{Type: TaskContactUpdate, ID: contactID.String(), Status: taskCompleted}
}

// tasks returns all tasks, those of tools first: they were done while the call went on.
func (r *Report) tasks() []Task {
	tasks := make([]Task, 0, len(r.ToolCalls)+len(r.Tasks))
	for _, used := range r.ToolCalls {
		tasks = append(tasks, toolTask(used))
	}
	return append(tasks, r.Tasks...)
}

func toolTask(used *dbsqlc.CallToolCall) Task {
	task := Task{Type: TaskToolCall, ID: used.ToolCallID, Status: taskCompleted, Name: used.Name}
	if used.Error != nil {
		task.Status = taskFailed
	}
	return task
}
