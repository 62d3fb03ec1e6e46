// compression-board-data-server: a data server for TensorBoard, based on our reader.
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "base/standard_streams.h"
#include "cboard/base/file.h"
#include "cboard/reader/log_reader.h"
#include "data_server/data_provider.h"
#include "data_server/options.h"

namespace cboard::data_server {
namespace {

// Max size of a request: a filter with the names of 10,000 runs exceeds gRPC's default of 4 MB.
constexpr int kMaxRequestBytes = 64 << 20;

// Writes the error to the error file. TensorBoard shows the text of this file to the user.
int ReportStartupError(const Options& options, const std::string& text, int status) {
  if (!options.error_file.empty()) {
    Result<File> file = File::Create(options.error_file);
    if (file && file->Write(AsBytes(text + "\n"))) return status;
  }
  std::cerr << "compression-board-data-server: " << text << '\n';
  return status;
}

// Ends the program when stdin is closed. TensorBoard holds the other end of the pipe, so stdin is
// also closed when TensorBoard crashes.
void ExitAfterStdin() {
  char buffer[4096];
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count == 0 || (count < 0 && errno != EINTR)) std::_Exit(kExitDone);
  }
}

void ReportLoading(const LogReader& reader, std::chrono::steady_clock::time_point start) {
  reader.WaitUntilLoaded();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const auto snapshot = reader.snapshot();
  std::fprintf(stderr, "Finished load cycle (%.3fms): %zu runs, %llu bytes\n", took.count(),
               snapshot->runs.size(),
               static_cast<unsigned long long>(snapshot->progress.done_bytes));
}

reader::ReaderOptions ReaderOptionsOf(const Options& options) {
  using std::chrono::milliseconds;
  reader::ReaderOptions reader{.logdirs = {{.name = {}, .path = options.logdir}}};
  reader.follow = options.reload.has_value();
  // Steps that were logged again replace the old ones when points are read, not while loading
  // (reservoir.h).
  reader.purge_orphaned_data = false;
  if (options.reload) {
    reader.poll_interval = std::max(milliseconds(1000), milliseconds(*options.reload));
  }
  if (options.use_cache) reader.cache_directory = reader::DefaultCacheDirectory();
  return reader;
}

// Listens on the first address that the machine has. `port` becomes the port in use; 0 if no
// address works.
std::unique_ptr<grpc::Server> StartServer(const std::vector<std::string>& addresses,
                                          DataProvider& provider, int& port) {
  const int wanted = port;
  for (const std::string& address : addresses) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address + ":" + std::to_string(wanted),
                             grpc::InsecureServerCredentials(), &port);
    // An error if another program uses the port.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
    builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
    builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
    builder.RegisterService(&provider);
    std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (server && port != 0) return server;
  }
  return nullptr;
}

int Run(const Options& options) {
  if (const Result<void> usable = CheckLogdir(options.logdir); !usable) {
    return ReportStartupError(options, usable.error().message, kExitBadLogdir);
  }
  const Result<std::vector<std::string>> addresses = LoopbackAddresses(options.host);
  if (!addresses) return ReportStartupError(options, addresses.error().message, kExitCannotListen);
  if (options.die_after_stdin) std::thread(ExitAfterStdin).detach();

  const auto start = std::chrono::steady_clock::now();
  const Result<std::unique_ptr<LogReader>> reader = LogReader::Open(ReaderOptionsOf(options));
  if (!reader) return ReportStartupError(options, reader.error().message, kExitBadLogdir);
  DataProvider provider(**reader, options.logdir.string(), options.samples);
  int port = options.port;
  const std::unique_ptr<grpc::Server> server = StartServer(*addresses, provider, port);
  if (!server) {
    return ReportStartupError(options,
                              "cannot listen on " + options.host + ":" +
                                  std::to_string(options.port) +
                                  ": the port is in use; pass "
                                  "another --port, or 0 for any",
                              kExitCannotListen);
  }
  if (options.port_file.empty()) {
    std::cerr << "listening on " << options.host << ':' << port << std::endl;
  } else {
    const std::string text = std::to_string(port) + "\n";
    Result<File> file = File::Create(options.port_file);
    const Result<void> written = file ? file->Write(AsBytes(text)) : Fail(file.error());
    if (!written) {
      return ReportStartupError(options, "cannot write the port: " + written.error().message,
                                kExitFailed);
    }
  }
  if (options.verbosity > 0) {
    std::thread(ReportLoading, std::cref(**reader), start).detach();
  }
  server->Wait();
  return kExitDone;
}

}  // namespace
}  // namespace cboard::data_server

int main(int argc, char** argv) {
  cboard::OccupyClosedStandardStreams();
  try {
    const auto parsed = cboard::data_server::ParseOptions(argc, argv);
    if (const int* const status = std::get_if<int>(&parsed)) return *status;
    return cboard::data_server::Run(std::get<cboard::data_server::Options>(parsed));
  } catch (const std::exception& error) {  // The most likely reason is that memory is exhausted.
    std::cerr << "compression-board-data-server: " << error.what() << '\n';
    return cboard::data_server::kExitFailed;
  }
}
