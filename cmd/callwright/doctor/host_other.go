//go:build !linux && !darwin

package doctor

import "errors"

func freeSpace(string) (bytes, files uint64, err error) { return 0, 0, errors.ErrUnsupported }

func handleLimit() (uint64, error) { return 0, errors.ErrUnsupported }

func receiveBuffer(int) (int, error) { return 0, errors.ErrUnsupported }
