// Tests the server through TLS, with OpenSSL's own client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <fstream>

#include "cboard/server/access.h"
#include "cboard/server/event_hub.h"
#include "server/testing/test_client.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using testing::Client;
using ::testing::EndsWith;
using testing::FailsSaying;
using ::testing::HasSubstr;
using testing::RunningServer;
using ::testing::StartsWith;

// A self-signed certificate for localhost.
class SelfSigned {
 public:
  SelfSigned() {
    EVP_PKEY* const key = ::EVP_EC_gen("P-256");
    X509* const certificate = ::X509_new();
    ::X509_set_version(certificate, 2);
    ::ASN1_INTEGER_set(::X509_get_serialNumber(certificate), 1);
    ::X509_gmtime_adj(::X509_getm_notBefore(certificate), -3600);
    ::X509_gmtime_adj(::X509_getm_notAfter(certificate), 3600);
    ::X509_set_pubkey(certificate, key);
    X509_NAME* const name = ::X509_get_subject_name(certificate);
    ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                 reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    ::X509_set_issuer_name(certificate, name);
    ::X509_sign(certificate, key, ::EVP_sha256());
    std::FILE* file = std::fopen(files().certificate.c_str(), "w");
    ::PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(files().key.c_str(), "w");
    ::PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    ::X509_free(certificate);
    ::EVP_PKEY_free(key);
  }

  TlsFiles files() const {
    return {.certificate = directory_ / "cert.pem", .key = directory_ / "key.pem"};
  }
  const testing::TempDir& directory() const { return directory_; }

 private:
  testing::TempDir directory_;
};

class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port, int newest_version = 0, const char* suites = "ALL")
      : client_(port), context_(::SSL_CTX_new(::TLS_client_method())) {
    ::SSL_CTX_set_max_proto_version(context_, newest_version);
    // OpenSSL does not offer old versions by default.
    ::SSL_CTX_set_security_level(context_, 0);
    ::SSL_CTX_set_cipher_list(context_, suites);
    ssl_ = ::SSL_new(context_);
    ::SSL_set_fd(ssl_, client_.descriptor());
    connected_ = ::SSL_connect(ssl_) == 1;
  }
  ~TlsClient() {
    ::SSL_free(ssl_);
    ::SSL_CTX_free(context_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool connected() const { return connected_; }

  void Send(std::string_view text) {
    EXPECT_EQ(::SSL_write(ssl_, text.data(), static_cast<int>(text.size())),
              static_cast<int>(text.size()));
  }

  std::string ReadUntil(std::string_view end) {
    std::string text;
    char byte = 0;
    while (!text.ends_with(end) && ::SSL_read(ssl_, &byte, 1) == 1) text += byte;
    return text;
  }

 private:
  Client client_;
  SSL_CTX* context_;
  SSL* ssl_;
  bool connected_ = false;
};

TEST(Tls, AnswersLikePlainHttp) {
  const SelfSigned self_signed;
  RunningServer server({.tls = self_signed.files()});
  TlsClient client(server->port());
  ASSERT_TRUE(client.connected());
  for (const std::string target : {"/one", "/two"}) {
    client.Send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(client.ReadUntil(">"), EndsWith("<" + target + ">"));
  }
  client.Send("GET /3 HTTP/1.1\r\nHost: a\r\n\r\nGET /4 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadUntil(">"), EndsWith("</3>"));
  EXPECT_THAT(client.ReadUntil(">"), EndsWith("</4>"));
}

TEST(Tls, SendsLargeBodiesAndFiles) {
  const SelfSigned self_signed;
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += std::to_string(i) + " ";
  content += "end>";
  std::ofstream(self_signed.directory() / "blob") << content;
  const auto file =
      std::make_shared<const File>(*File::OpenForReading(self_signed.directory() / "blob"));
  RunningServer server({.tls = self_signed.files()}, [&](const HttpRequest& request) {
    if (request.target == "/text") return HttpResponse{.body = content};
    return BlobResponse("image/png",
                        FileSlice{.file = file, .offset = 0, .length = content.size()});
  });
  TlsClient client(server->port());
  for (const std::string target : {"/text", "/file"}) {
    client.Send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(client.ReadUntil("end>"), EndsWith("\r\n\r\n" + content));
  }
}

TEST(Tls, SendsEvents) {
  const SelfSigned self_signed;
  EventHub hub;
  RunningServer server({.tls = self_signed.files()},
                       [&](const HttpRequest& request) { return hub.Open(request); });
  {
    TlsClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.ReadUntil("\r\n\r\n");
    EXPECT_THAT(client.ReadUntil("\n\n"), HasSubstr("event: hello\n"));
    hub.Publish("e", "1");
    EXPECT_THAT(client.ReadUntil("\n\n"), HasSubstr("event: e\n"));
  }
  while (hub.subscriber_count() > 0) std::this_thread::yield();
}

TEST(Tls, MarksItsCookiesSecure) {
  const SelfSigned self_signed;
  RunningServer server({.tls = self_signed.files()},
                       Guarded({.token = "s3cret"}, [](const HttpRequest& request) {
                         EXPECT_TRUE(request.secure);
                         return HttpResponse{};
                       }));
  TlsClient client(server->port());
  client.Send("GET /?token=s3cret HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("; HttpOnly; SameSite=Strict; Secure\r\n"));
}

TEST(Tls, RefusesOldVersionsAndThoseWhoDoNotSpeakIt) {
  const SelfSigned self_signed;
  RunningServer server({.tls = self_signed.files()});
  EXPECT_FALSE(TlsClient(server->port(), TLS1_1_VERSION).connected());
  EXPECT_TRUE(TlsClient(server->port(), TLS1_2_VERSION).connected());
  Client plain(server->port());
  plain.Send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(plain.ReadAll(), ::testing::Not(StartsWith("HTTP/1.1 200")));
  TlsClient client(server->port());
  client.Send("GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.ReadUntil(">"), EndsWith("</alive>"));
}

TEST(Tls, RefusesOldCipherSuites) {
  const SelfSigned self_signed;
  RunningServer server({.tls = self_signed.files()});
  for (const char* suite : {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"}) {
    EXPECT_TRUE(TlsClient(server->port(), TLS1_2_VERSION, suite).connected()) << suite;
  }
  for (const char* suite : {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384"}) {  // CBC.
    EXPECT_FALSE(TlsClient(server->port(), TLS1_2_VERSION, suite).connected()) << suite;
  }
}

TEST(Tls, SaysWhatIsWrongWithItsFiles) {
  const SelfSigned self_signed, other;
  const auto listen = [](const TlsFiles& files) {
    return HttpServer::Listen({.port = 0, .tls = files}, nullptr);
  };
  TlsFiles files = self_signed.files();
  files.certificate = "/missing.pem";
  EXPECT_THAT(listen(files), FailsSaying(ErrorCode::kInvalidArgument, "'/missing.pem'"));
  files = self_signed.files();
  files.key = files.certificate;
  EXPECT_THAT(listen(files), FailsSaying(ErrorCode::kInvalidArgument, "cannot use the key"));
  files.key = other.files().key;  // Key of another certificate.
  EXPECT_THAT(listen(files), FailsSaying(ErrorCode::kInvalidArgument, "cannot use the key"));
}

}  // namespace
}  // namespace cboard::server
