package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
	"gocloud.dev/gcp"
	"google.golang.org/api/googleapi"

	"blotter/internal/reason"
)

// bucket is a prefix in a store of objects. The driver underneath is opened once; where
// that failed, with the next document again.
type bucket struct {
	scheme string
	url    *url.URL // of the bucket, with the driver's settings and without a path

	mu   sync.Mutex
	blob *blob.Bucket
}

func (b *bucket) get(ctx context.Context) (*blob.Bucket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.blob != nil {
		return b.blob, nil
	}
	var err error
	b.blob, err = openers[b.scheme](ctx, b.url)
	return b.blob, err
}

// open begins to read an object as a stream. Keys with characters that the driver
// escapes ("../" of S3; quotes, "#", "%" and "?" of Azure) are not found.
func (b *bucket) open(ctx context.Context, l location) (r io.ReadCloser, err error) {
	defer func() {
		if recover() != nil { // azureblob follows nil pointers where an answer lacks headers
			r, err = nil, failed(reason.SourceUnreadable, b.scheme)
		}
	}()
	opened, err := b.get(context.WithoutCancel(ctx)) // the driver may keep its first context
	if err != nil {
		return nil, failed(reason.SourceUnreadable, b.scheme)
	}
	reader, err := opened.NewReader(ctx, l.path(), nil)
	if err != nil {
		return nil, &reason.Error{Code: statusCode(err), Err: failed(statusCode(err), b.scheme), After: retryAfter(err)}
	}
	return reader, nil
}

func (b *bucket) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.blob == nil {
		return nil
	}
	return b.blob.Close()
}

// openers open a bucket by its URL. They are the drivers' own, but for gocloud's default
// multiplexer: that takes settings which change the key, and prints.
var openers = map[string]func(context.Context, *url.URL) (*blob.Bucket, error){
	"s3": openS3, "gs": openGoogle, "azblob": openAzure,
}

func openS3(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	const checksums = "response_checksum_validation"
	q := u.Query()
	if !q.Has(checksums) { // the SHA-256 is compared anyway, and the SDK complains of stores without its own
		q.Set(checksums, "when_required")
	}
	with := *u
	with.RawQuery = q.Encode()
	return new(s3blob.URLOpener).OpenBucketURL(ctx, &with)
}

func openAzure(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	opener := azureblob.URLOpener{
		MakeClient: azureblob.NewDefaultClient, ServiceURLOptions: *azureblob.NewDefaultServiceURLOptions(),
	}
	return opener.OpenBucketURL(ctx, u)
}

// openGoogle looks for the application's default credentials, unless the bucket is
// public.
func openGoogle(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	client := gcp.NewAnonymousHTTPClient(gcp.DefaultTransport())
	if u.Query().Get("anonymous") != "true" {
		credentials, err := gcp.DefaultCredentials(ctx)
		if err != nil {
			return nil, fmt.Errorf("find credentials: %w", err)
		}
		if client, err = gcp.NewHTTPClient(gcp.DefaultTransport(), gcp.CredentialsTokenSource(credentials)); err != nil {
			return nil, fmt.Errorf("use credentials: %w", err)
		}
	}
	opener := gcsblob.URLOpener{Client: client}
	return opener.OpenBucketURL(ctx, u)
}

// checkGoogle judges the settings of a gs prefix: whether its bucket is public.
func checkGoogle(settings url.Values) error {
	for name, values := range settings {
		if name != "anonymous" || !slices.Contains([]string{"true", "false"}, strings.Join(values, " ")) {
			return errors.New("a gs prefix has one setting, anonymous, which is true or false")
		}
	}
	return nil
}

// statusCode says what a store's answer means for a job. The HTTP status decides: what
// has none (no route, a reset, a time-out) may pass.
func statusCode(err error) reason.Code {
	switch httpStatus(err) {
	case http.StatusNotFound, http.StatusGone:
		return reason.SourceMissing
	case http.StatusUnauthorized, http.StatusForbidden:
		return reason.SourceDenied
	}
	return reason.SourceUnreadable
}

// retryAfter is how long the store asked to be left alone; 0 where it did not say. The
// drivers' own three tries do not heed it.
func retryAfter(err error) time.Duration {
	var amazon *smithyhttp.ResponseError
	var google *googleapi.Error
	var azure *azcore.ResponseError
	var header http.Header
	switch {
	case errors.As(err, &amazon) && amazon.Response != nil && amazon.Response.Response != nil:
		header = amazon.Response.Header
	case errors.As(err, &google):
		header = google.Header
	case errors.As(err, &azure) && azure.RawResponse != nil:
		header = azure.RawResponse.Header
	}
	return reason.RetryAfter(header.Get("Retry-After"), time.Now())
}

// httpStatus finds the status in each driver's error; 0 where there is none. Google's
// driver keeps none for a missing object; Azure's takes an unknown host for one, which a
// name server that is down looks like.
func httpStatus(err error) int {
	var amazon interface {
		error
		HTTPStatusCode() int
	}
	var google *googleapi.Error
	var azure *azcore.ResponseError
	var unknownHost *net.DNSError
	switch {
	case errors.As(err, &amazon):
		return amazon.HTTPStatusCode()
	case errors.As(err, &google):
		return google.Code
	case errors.As(err, &azure):
		return azure.StatusCode
	case gcerrors.Code(err) == gcerrors.NotFound && !errors.As(err, &unknownHost):
		return http.StatusNotFound
	}
	return 0
}
