package api

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
)

// installErrors makes Huma use our error shape. Huma keeps these functions in global variables.
var installErrors = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return newError(status, message, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		response := newError(status, message, errs)
		if code, own := ctx.Operation().Metadata[validationCode].(string); own && response.Body.Code == "invalid_request" {
			response.Body.Code = code
		}
		return response
	}
})

// validationCode is the metadata key of the code that an operation uses for requests that do not validate, if the
// contract names another one than invalid_request.
const validationCode = "validation_code"

var missingProperty = regexp.MustCompile(`^expected required property (.+) to be present$`)

// bodyMissing is Huma's message for a missing body.
const bodyMissing = "request body is required"

// newError returns the response to a request that Huma refuses. It names every wrong field; about our own failures it
// says nothing.
func newError(status int, message string, errs []error) *apierror.Error {
	if status >= http.StatusInternalServerError {
		return apierror.Internal()
	}
	if status == http.StatusUnprocessableEntity {
		status = http.StatusBadRequest
	}
	if status == http.StatusRequestEntityTooLarge || slices.ContainsFunc(errs, tooLong) {
		return middleware.TooLarge()
	}
	if status == http.StatusBadRequest && slices.ContainsFunc(errs, inPath) {
		return apierror.New(http.StatusNotFound, "not_found", "There is nothing with this id.")
	}
	response := apierror.FromStatus(status, sentence(message))
	if status == http.StatusBadRequest && len(errs) > 0 {
		response = apierror.Invalid()
	}
	for _, err := range errs {
		if len(response.Body.Details) == maxDetails {
			return response
		}
		addDetail(response, err)
	}
	addRules(response, errs)
	if status == http.StatusBadRequest && message == bodyMissing {
		response.With("body", "is required")
	}
	return response
}

// maxDetails is how many fields a response names: who has more wrong sees the others next time.
const maxDetails = 100

// tooLong reports whether the error is that a body went on behind its limit.
func tooLong(err error) bool {
	_, is := errors.AsType[*http.MaxBytesError](err)
	return is
}

// inPath reports whether the error is about a path parameter: a path without a possible id is not found.
func inPath(err error) bool {
	var detail *huma.ErrorDetail
	return errors.As(err, &detail) && strings.HasPrefix(detail.Location, "path.")
}

func addDetail(response *apierror.Error, err error) {
	var detail *huma.ErrorDetail
	if !errors.As(err, &detail) { // a rule, or what is no detail:
		return // its text may hold addresses of a lower layer
	}
	field := fieldName(detail.Location)
	text := detail.Message
	whole := detail.Location == "body"
	if problem := problemOf(text); problem != nil && whole {
		field, text = problem.Field, problem.Message
	}
	if missing := missingProperty.FindStringSubmatch(text); missing != nil {
		// Huma names the parent: two missing fields would overwrite each other.
		if whole {
			field = missing[1]
		} else {
			field += "." + missing[1]
		}
		text = "is required"
	}
	if strings.HasPrefix(text, "required ") {
		text = "is required"
	}
	if earlier, ok := response.Body.Details[field]; ok && earlier != text {
		text = earlier + "; " + text
	}
	response.With(field, text)
}

// fieldName returns a location without the part of the request that it is in.
func fieldName(location string) string {
	for _, part := range []string{"body.", "query.", "path.", "header."} {
		if rest, found := strings.CutPrefix(location, part); found {
			return rest
		}
	}
	if location == "" {
		return "body"
	}
	return location
}

func sentence(message string) string {
	if message == "" {
		return "The request is not valid."
	}
	message = strings.ToUpper(message[:1]) + message[1:]
	if !strings.HasSuffix(message, ".") {
		message += "."
	}
	return message
}

// asError returns the response for the error of a handler, and logs what the caller must not learn.
func (a *API) asError(ctx context.Context, err error) *apierror.Error {
	if known, ok := errors.AsType[*apierror.Error](err); ok {
		return known
	}
	if ctx.Err() == nil {
		a.Logger.ErrorContext(ctx, "request failed", "error", err, "request_id", middleware.RequestID(ctx))
	}
	return apierror.FromFailure(err)
}
