package api

// Page is what every list takes. A resource whose default differs declares its own Limit.
type Page struct {
	Limit  int `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Most entries to answer."`
	Offset int `query:"offset" minimum:"0" maximum:"1000000000" default:"0" doc:"Entries to skip."`
}

// Page10 is Page for the lists whose default is ten.
type Page10 struct {
	Limit  int `query:"limit" minimum:"1" maximum:"100" default:"10" doc:"Most entries to answer."`
	Offset int `query:"offset" minimum:"0" maximum:"1000000000" default:"0" doc:"Entries to skip."`
}

// Pagination says where in a list an answer stands.
type Pagination struct {
	Limit   int   `json:"limit"`
	Offset  int   `json:"offset"`
	Total   int64 `json:"total" doc:"Entries in all."`
	HasMore bool  `json:"has_more" doc:"Whether entries follow."`
}

// listOutput is the answer of a list.
type listOutput[T any] struct {
	Body listBody[T]
}

type listBody[T any] struct {
	Data       []T        `json:"data" nullable:"false"`
	Pagination Pagination `json:"pagination"`
}

// newList renders the rows of a page.
func newList[R, T any](rows []R, render func(R) T, limit, offset int, total int64) *listOutput[T] {
	data := make([]T, 0, len(rows))
	for _, row := range rows {
		data = append(data, render(row))
	}
	return &listOutput[T]{Body: listBody[T]{Data: data, Pagination: Pagination{
		Limit: limit, Offset: offset, Total: total, HasMore: int64(offset+len(rows)) < total,
	}}}
}
