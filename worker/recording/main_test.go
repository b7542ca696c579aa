package recording

import (
	"testing"

	"github.com/callwright/callwright/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }
