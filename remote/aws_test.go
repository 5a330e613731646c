// S3 as the files and variables of the AWS programs configure it, and its token service.

package remote_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/bucket"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// An awsTest is a configuration, and the first request for an object that follows from it.
type awsTest struct {
	name        string
	config      string // the file config
	credentials string // the file credentials; not there if it is ""
	env         []string
	ref         string // s3://weights/a if it is ""
	url         string
	key         string // the access key that signs the request; "" for none
	region      string // for which the request is signed
	err         string // instead of a request
}

const awsKeys = "aws_access_key_id = AKID\naws_secret_access_key = secret\n"

var awsTests = []awsTest{
	{name: "nothing", url: "https://weights.s3.us-east-1.amazonaws.com/a"},
	{name: "default profile without a credentials file", config: "[default]\nregion = eu-west-3\n" + awsKeys,
		url: "https://weights.s3.eu-west-3.amazonaws.com/a", key: "AKID", region: "eu-west-3"},
	{name: "profile", config: "# comment\n[profile work]\nregion=ap-south-1\n", credentials: "[work]\n" + awsKeys,
		env: []string{"AWS_PROFILE=work"}, url: "https://weights.s3.ap-south-1.amazonaws.com/a", key: "AKID", region: "ap-south-1"},
	{name: "older variable", config: "[profile 'my work']\n" + awsKeys, env: []string{"AWS_DEFAULT_PROFILE=my work"},
		url: "https://weights.s3.us-east-1.amazonaws.com/a", key: "AKID", region: "us-east-1"},
	{name: "variables come first", config: "[default]\nregion = eu-west-3\n" + awsKeys,
		env: []string{"AWS_REGION=us-west-2", "AWS_ACCESS_KEY_ID=OTHER", "AWS_SECRET_ACCESS_KEY=x"},
		url: "https://weights.s3.us-west-2.amazonaws.com/a", key: "OTHER", region: "us-west-2"},
	{name: "no such profile", config: "[profile a]\n[profile b]\n", env: []string{"AWS_PROFILE=c"},
		err: `the AWS profile "c" does not exist: the files config and credentials have a, b`},
	{name: "half of the keys", config: "[default]\naws_access_key_id = AKID\n", err: "only one of aws_access_key_id and"},
	{name: "broken file", config: "region = x\n", err: "line 1: want [section] or key = value"},

	{name: "endpoint", config: "[default]\nendpoint_url = http://127.0.0.1:9000/\n",
		url: "http://127.0.0.1:9000/weights/a"},
	{name: "endpoint with a path", env: []string{"AWS_ENDPOINT_URL=https://host/base"}, url: "https://host/base/weights/a"},
	{name: "services", config: "[default]\nservices = mine\nendpoint_url = http://global\n" +
		"[services mine]\nsts =\n  endpoint_url = http://sts\ns3 =\n  endpoint_url = http://s3\n  other = x\n",
		url: "http://s3/weights/a"},
	{name: "no such services", config: "[default]\nservices = mine\n", err: "has no section [services mine]"},
	{name: "variable of the service", config: "[default]\nendpoint_url = http://a\n",
		env: []string{"AWS_ENDPOINT_URL=http://b", "AWS_ENDPOINT_URL_S3=http://c"}, url: "http://c/weights/a"},
	{name: "endpoints ignored", config: "[default]\nendpoint_url = http://a\nignore_configured_endpoint_urls = true\n",
		url: "https://weights.s3.us-east-1.amazonaws.com/a"},
	{name: "endpoint that is none", env: []string{"AWS_ENDPOINT_URL=ftp://a"}, err: "is not an http or https URL"},

	{name: "path style", config: "[default]\ns3 =\n  addressing_style = path\n", url: "https://s3.us-east-1.amazonaws.com/weights/a"},
	{name: "virtual style", config: "[default]\nendpoint_url = http://s3.example:9000\ns3 =\n\taddressing_style = virtual\n",
		url: "http://weights.s3.example:9000/a"},
	{name: "dots", ref: "s3://my.weights/a", url: "https://s3.us-east-1.amazonaws.com/my.weights/a"},
	{name: "upper case", ref: "s3://Weights/a", url: "https://s3.us-east-1.amazonaws.com/Weights/a"},
	// These two know buckets by their host alone, as minio-go knows.
	{name: "Alibaba", env: []string{"AWS_ENDPOINT_URL=https://oss-cn-beijing.aliyuncs.com"}, url: "https://weights.oss-cn-beijing.aliyuncs.com/a"},
	{name: "AWS as the endpoint", env: []string{"AWS_ENDPOINT_URL=https://s3.eu-west-1.amazonaws.com", "AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=x"},
		url: "https://weights.s3.eu-west-1.amazonaws.com/a", key: "AKID", region: "eu-west-1"},

	{name: "China", env: []string{"AWS_REGION=cn-north-1"}, url: "https://weights.s3.cn-north-1.amazonaws.com.cn/a"},
	{name: "GovCloud", env: []string{"AWS_REGION=us-gov-west-1"}, url: "https://weights.s3.us-gov-west-1.amazonaws.com/a"},
	{name: "GovCloud with FIPS", config: "[default]\nuse_fips_endpoint = true\n", env: []string{"AWS_REGION=us-gov-east-1"},
		url: "https://weights.s3-fips.us-gov-east-1.amazonaws.com/a"},
	{name: "FIPS and IPv6", env: []string{"AWS_USE_FIPS_ENDPOINT=true", "AWS_USE_DUALSTACK_ENDPOINT=true"},
		url: "https://weights.s3-fips.dualstack.us-east-1.amazonaws.com/a"},
	{name: "isolated", env: []string{"AWS_REGION=us-isob-east-1"}, url: "https://weights.s3.us-isob-east-1.sc2s.sgov.gov/a"},
	{name: "European", env: []string{"AWS_REGION=eusc-de-east-1"}, url: "https://weights.s3.eusc-de-east-1.amazonaws.eu/a"},
	{name: "region that is none", env: []string{"AWS_REGION=a.example/"}, err: `"a.example/" is not the name of an AWS region`},

	{name: "version", ref: "s3://weights/a?versionId=L4kqtJl", url: "https://weights.s3.us-east-1.amazonaws.com/a?versionId=L4kqtJl"},
	{name: "R2", ref: "r2://weights/a", env: []string{"CLOUDFLARE_ACCOUNT_ID=0123abc", "AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=x", "AWS_REGION=us-west-2"},
		url: "https://0123abc.r2.cloudflarestorage.com/weights/a", key: "AKID", region: "auto"},
	{name: "R2 without an account", ref: "r2://weights/a", err: "CLOUDFLARE_ACCOUNT_ID"},

	{name: "role without a source", config: "[default]\nrole_arn = arn:aws:iam::1:role/a\n", err: "neither source_profile nor"},
	{name: "role of an unknown profile", config: "[default]\nrole_arn = x\nsource_profile = b\n", err: `the AWS profile "b" does not exist`},
	{name: "roles in a circle", config: "[default]\nrole_arn = x\nsource_profile = b\n[profile b]\nrole_arn = y\nsource_profile = default\n",
		err: "more than 8 source profiles in a row"},
	{name: "role with a device", config: "[default]\nrole_arn = x\nsource_profile = b\nmfa_serial = y\n[profile b]\n" + awsKeys,
		err: "aws configure export-credentials --profile default"},
}

// opener writes the files of a test and returns an opener whose requests answer takes.
func (test *awsTest) opener(t *testing.T, answer roundTrip) *remote.Opener {
	home := t.TempDir()
	for name, text := range map[string]string{"config": test.config, "credentials": test.credentials} {
		if text != "" {
			os.Mkdir(filepath.Join(home, ".aws"), 0o700)
			if err := os.WriteFile(filepath.Join(home, ".aws", name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &remote.Opener{Transport: answer, Buckets: bucket.Open, Meter: new(remote.Meter), Retries: 2,
		Env: remotetest.Env(append(test.env, "HOME="+home, "AWS_EC2_METADATA_DISABLED=true")...)}
}

func TestAWS(t *testing.T) {
	for _, test := range awsTests {
		t.Run(test.name, func(t *testing.T) {
			var asked *http.Request
			o := test.opener(t, func(r *http.Request) (*http.Response, error) {
				asked = r
				return said(http.StatusOK, "x"), nil
			})
			if test.ref == "" {
				test.ref = "s3://weights/a"
			}
			ref, err := store.Parse(test.ref)
			if err != nil {
				t.Fatal(err)
			}
			s, err := o.Open(t.Context(), ref)
			if err == nil {
				_, err = s.Open(t.Context(), ref.Path)
			}
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v; want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if asked.URL.String() != test.url {
				t.Errorf("asked %s; want %s", asked.URL, test.url)
			}
			key, region := signer(asked)
			if key != test.key || region != test.region {
				t.Errorf("signed with %q for %q; want %q for %q", key, region, test.key, test.region)
			}
		})
	}
}

// signer returns the key and the region of a signature.
func signer(r *http.Request) (key, region string) {
	_, scope, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	if parts := strings.Split(scope, "/"); len(parts) > 3 {
		return parts[0], parts[2]
	}
	return "", ""
}

// said returns an answer.
func said(status int, body string, header ...string) *http.Response {
	h := make(http.Header)
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)), Header: h,
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
}

// TestAWSRole: a profile has a role, for which the keys of another profile ask.
func TestAWSRole(t *testing.T) {
	test := awsTest{
		config:      "[default]\nrole_arn = arn:aws:iam::1:role/reader\nsource_profile = base\nexternal_id = 42\nregion = cn-north-1\n",
		credentials: "[base]\n" + awsKeys,
	}
	var hosts []string
	o := test.opener(t, func(r *http.Request) (*http.Response, error) {
		key, region := signer(r)
		hosts = append(hosts, r.URL.Host+" "+key+" "+region)
		if strings.HasPrefix(r.URL.Host, "sts.") {
			form, _ := io.ReadAll(r.Body)
			for _, want := range []string{"Action=AssumeRole", "RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Freader", "ExternalId=42"} {
				if !strings.Contains(string(form), want) {
					t.Errorf("STS was asked %s; want %s", form, want)
				}
			}
			return said(http.StatusOK, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ROLE</AccessKeyId>`+
				`<SecretAccessKey>x</SecretAccessKey><SessionToken>TOKEN</SessionToken><Expiration>2099-01-01T00:00:00Z`+
				`</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`), nil
		}
		if r.Header.Get("X-Amz-Security-Token") != "TOKEN" {
			t.Error("the request has no session token")
		}
		return said(http.StatusOK, "x"), nil
	})
	if _, err := open(t, o, "s3://weights").Open(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	want := "[sts.cn-north-1.amazonaws.com.cn AKID cn-north-1 weights.s3.cn-north-1.amazonaws.com.cn ROLE cn-north-1]"
	if got := fmt.Sprint(hosts); got != want {
		t.Errorf("asked %s; want %s", got, want)
	}
	if cost := o.Meter.Cost(); cost.Requests != 2 {
		t.Errorf("%d requests are counted, want 2", cost.Requests)
	}
}

// TestTokenRefusals: a refusal of a token service is not repeated, is counted, and is put into
// words. The documents are those of AWS and of Google.
func TestTokenRefusals(t *testing.T) {
	dir := t.TempDir()
	token, adc := filepath.Join(dir, "token"), filepath.Join(dir, "adc.json")
	os.WriteFile(token, []byte("SECRET"), 0o600)
	os.WriteFile(adc, []byte(`{"type":"authorized_user","client_id":"a","client_secret":"SECRET","refresh_token":"SECRET"}`), 0o600)
	role := "[default]\nrole_arn = r\nsource_profile = b\n[profile b]\n" + awsKeys
	sts := func(code, message string) string {
		return fmt.Sprintf(`<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>%s</Code>`+
			`<Message>%s</Message></Error><RequestId>1</RequestId></ErrorResponse>`, code, message)
	}
	for _, test := range []struct {
		awsTest
		status       int
		answer, want string
	}{
		{awsTest{config: role}, 403, sts("AccessDenied", "User: u is not authorized to perform: sts:AssumeRole on resource: r"),
			`refuses with "AccessDenied": "User: u is not authorized to perform: sts:AssumeRole on resource: r"; check the role`},
		{awsTest{config: role}, 403, sts("InvalidClientTokenId", "The security token included in the request is invalid."),
			"check the keys of the source profile"},
		{awsTest{env: []string{"AWS_WEB_IDENTITY_TOKEN_FILE=" + token, "AWS_ROLE_ARN=r"}}, 400,
			sts("ExpiredTokenException", "Token expired: current date/time 1 must be before the expiration date/time 0"), "write a new token"},
		{awsTest{env: []string{"AWS_WEB_IDENTITY_TOKEN_FILE=" + filepath.Join(dir, "absent"), "AWS_ROLE_ARN=r"}}, 0, "", "absent"},
		{awsTest{ref: "gs://weights/a", env: []string{"GOOGLE_APPLICATION_CREDENTIALS=" + adc}}, 400,
			`{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`,
			"Token has been expired or revoked.\"; the login has expired or was revoked: run `gcloud auth application-default login`"},
	} {
		t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", adc) // Google's package reads it by itself
		asked := 0
		o := test.opener(t, func(r *http.Request) (*http.Response, error) {
			asked++
			return said(test.status, test.answer, "Content-Type", "application/json"), nil
		})
		if test.ref == "" {
			test.ref = "s3://weights/a"
		}
		_, err := open(t, o, test.ref).Open(t.Context(), "a")
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "SECRET") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v; want %q", err, test.want)
		}
		if want := min(test.status, 1); asked != want || o.Meter.Cost().Requests != int64(want) {
			t.Errorf("%d requests, %d of them counted; want %d", asked, o.Meter.Cost().Requests, want)
		}
	}
}

// TestBucketRefusals has the documents that AWS and other stores send, and what to do.
func TestBucketRefusals(t *testing.T) {
	document := func(code, more string) string {
		return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>` + code + `</Code>` + more + `<RequestId>1</RequestId></Error>`
	}
	for _, test := range []struct {
		status int
		answer string
		want   string
		is     error
		asked  int
	}{
		{400, document("ExpiredToken", "<Message>The provided token has expired.</Message>"), "the session token has expired: log in again", fs.ErrPermission, 1},
		{403, document("InvalidAccessKeyId", "<AWSAccessKeyId>AKID</AWSAccessKeyId>"), "does not know the access key: check AWS_ACCESS_KEY_ID", fs.ErrPermission, 1},
		{403, document("SignatureDoesNotMatch", ""), "the secret key does not fit the access key", fs.ErrPermission, 1},
		{403, document("RequestTimeTooSkewed", "<ServerTime>2001-01-01T00:00:00Z</ServerTime>"), "ahead of its own: set the clock", fs.ErrPermission, 1},
		{403, document("RequestTimeTooSkewed", "<ServerTime>2099-01-01T00:00:00Z</ServerTime>"), "behind its own: set the clock", fs.ErrPermission, 1},
		{404, document("NoSuchBucket", ""), `there is no bucket "weights": check its name`, fs.ErrNotExist, 1},
		{404, document("NoSuchKey", ""), "no such object", fs.ErrNotExist, 1},
		{403, document("InvalidObjectState", "<StorageClass>GLACIER</StorageClass>"), "restore it first", fs.ErrPermission, 1},
		{403, document("AccessDenied", "<Message>Access Denied</Message>"), "the credentials do not allow it, or the bucket does not exist", fs.ErrPermission, 1},
		{403, document("AccessDenied", "<Message>Access denied.</Message><Details>a@b does not have storage.objects.get access</Details>"),
			`the server says "Access denied. a@b does not have storage.objects.get access"`, fs.ErrPermission, 1},
		{301, document("PermanentRedirect", "<Endpoint>weights.s3.example</Endpoint>"), `the bucket is at "weights.s3.example"`, nil, 1},
		{400, document("InvalidArgument", "<Message>Invalid version id specified</Message>"), `it says "Invalid version id specified"`, nil, 1},
		{503, document("SlowDown", ""), "busy", nil, 3},
		{403, "<html>", "the credentials do not allow it", fs.ErrPermission, 1},
	} {
		asked := 0
		o := (&awsTest{config: "[default]\n" + awsKeys}).opener(t, func(*http.Request) (*http.Response, error) {
			asked++
			return said(test.status, test.answer), nil
		})
		_, err := open(t, o, "s3://weights").Open(t.Context(), "a")
		if err == nil || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("%d %s: error %v; want %q", test.status, test.answer, err, test.want)
		}
		if asked != test.asked {
			t.Errorf("%d %s: %d requests, want %d", test.status, test.answer, asked, test.asked)
		}
	}
}

// TestRegionInDocument: AWS and MinIO name the region that a signature should be for. It is
// asked once more, and for each later request.
func TestRegionInDocument(t *testing.T) {
	var regions []string
	o := (&awsTest{config: "[default]\nendpoint_url = http://minio.example\n" + awsKeys}).opener(t, func(r *http.Request) (*http.Response, error) {
		_, region := signer(r)
		regions = append(regions, region)
		if region != "eu-west-3" {
			return said(http.StatusBadRequest, `<Error><Code>AuthorizationHeaderMalformed</Code><Message>The authorization header is malformed; the region is wrong;
				expecting 'eu-west-3'.</Message><Region>eu-west-3</Region></Error>`), nil
		}
		return said(http.StatusOK, "x"), nil
	})
	s := open(t, o, "s3://weights")
	for _, name := range []string{"a", "b"} {
		if _, err := s.Open(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(regions); got != "[us-east-1 eu-west-3 eu-west-3]" {
		t.Errorf("signed for %s", got)
	}
}
