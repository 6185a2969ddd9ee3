package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// startHTTP starts nginx before git http-backend, with passwords. The variable
// of the hooks is set for every request, empty where nobody is to be known.
func (s *site) startHTTP() error {
	backend, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	var passwords strings.Builder
	for _, name := range people {
		fmt.Fprintf(&passwords, "%s:{PLAIN}secret-%s\n", name, name)
	}
	config := fmt.Sprintf(nginxConfig, s.path("nginx"), address, strings.TrimSpace(string(backend))+"/git-http-backend", s.path("repos"), s.path("home"))
	if os.Getuid() == 0 { // workers may read the temporary folder
		config = "user root;\n" + config
	}
	for name, text := range map[string]string{"passwords": passwords.String(), "nginx.conf": config} {
		if err := os.WriteFile(s.path("nginx", name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	socket := s.path("nginx", "cgi")
	if s.cgi, err = begin(s.path("cgi.log"), "unix", socket, "fcgiwrap", "-f", "-c", "8", "-s", "unix:"+socket); err != nil {
		return err
	}
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		nginx = "/usr/sbin/nginx"
	}
	s.http, err = begin(s.path("nginx", "log"), "tcp", address, nginx, "-p", s.path("nginx"), "-e", s.path("nginx", "error"), "-c", s.path("nginx", "nginx.conf"))
	return err
}

const nginxConfig = `daemon off;
worker_processes 1;
pid "%[1]s/pid";
events {}
http {
	access_log off;
	client_max_body_size 0;
	client_body_temp_path "%[1]s/body";
	fastcgi_temp_path "%[1]s/fastcgi";
	proxy_temp_path "%[1]s/proxy";
	uwsgi_temp_path "%[1]s/uwsgi";
	scgi_temp_path "%[1]s/scgi";
	map $remote_user $pusher {
		default $remote_user;
		nobody "";
	}
	server {
		listen %[2]s;
		location / {
			auth_basic git;
			auth_basic_user_file "%[1]s/passwords";
			fastcgi_pass "unix:%[1]s/cgi";
			fastcgi_read_timeout 600s;
			fastcgi_param SCRIPT_FILENAME "%[3]s";
			fastcgi_param GIT_PROJECT_ROOT "%[4]s";
			fastcgi_param GIT_HTTP_EXPORT_ALL "";
			fastcgi_param GIT_CONFIG_NOSYSTEM 1;
			fastcgi_param HOME "%[5]s";
			fastcgi_param PATH_INFO $uri;
			fastcgi_param QUERY_STRING $query_string;
			fastcgi_param REQUEST_METHOD $request_method;
			fastcgi_param CONTENT_TYPE $content_type;
			fastcgi_param CONTENT_LENGTH $content_length;
			fastcgi_param GIT_PROTOCOL $http_git_protocol;
			fastcgi_param REMOTE_USER $remote_user;
			fastcgi_param LIZA_USER $pusher;
		}
	}
}
`
