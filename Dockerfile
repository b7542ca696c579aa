# syntax=docker/dockerfile:1
# docker buildx build --platform linux/amd64,linux/arm64 --build-arg VERSION=v1.2.3 .
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION=
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /callwright ./cmd/callwright
RUN deploy/image/assemble /callwright /root-of-image

FROM scratch
COPY --from=build /root-of-image /
USER 65532:65532
ENV CALLWRIGHT_FILES_DIR=/var/lib/callwright/files CALLWRIGHT_LISTEN=0.0.0.0:8080
VOLUME /var/lib/callwright
EXPOSE 8080 5060/udp 9464
STOPSIGNAL SIGTERM
ENTRYPOINT ["/callwright"]
CMD ["--help"]
