// TensorBoard's data provider interface, implemented with snapshots of our reader.
#pragma once

#include <memory>
#include <string>

#include "cboard/reader/log_reader.h"
#include "data_provider.grpc.pb.h"
#include "data_server/sampling/kept_points.h"

namespace cboard::data_server {

// Every call uses the newest snapshot; no call waits for loading. Calls may come from many threads.
class DataProvider final : public tensorboard::data::TensorBoardDataProvider::Service {
 public:
  // `data_location` is the text that users see as the source of the data. `reader` must outlive the
  // provider.
  DataProvider(const LogReader& reader, std::string data_location, SampleLimits limits);

  grpc::Status GetExperiment(grpc::ServerContext* context,
                             const tensorboard::data::GetExperimentRequest* request,
                             tensorboard::data::GetExperimentResponse* response) override;
  grpc::Status ListPlugins(grpc::ServerContext* context,
                           const tensorboard::data::ListPluginsRequest* request,
                           tensorboard::data::ListPluginsResponse* response) override;
  grpc::Status ListRuns(grpc::ServerContext* context,
                        const tensorboard::data::ListRunsRequest* request,
                        tensorboard::data::ListRunsResponse* response) override;
  grpc::Status ListScalars(grpc::ServerContext* context,
                           const tensorboard::data::ListScalarsRequest* request,
                           tensorboard::data::ListScalarsResponse* response) override;
  grpc::Status ReadScalars(grpc::ServerContext* context,
                           const tensorboard::data::ReadScalarsRequest* request,
                           tensorboard::data::ReadScalarsResponse* response) override;
  grpc::Status ListTensors(grpc::ServerContext* context,
                           const tensorboard::data::ListTensorsRequest* request,
                           tensorboard::data::ListTensorsResponse* response) override;
  grpc::Status ReadTensors(grpc::ServerContext* context,
                           const tensorboard::data::ReadTensorsRequest* request,
                           tensorboard::data::ReadTensorsResponse* response) override;
  grpc::Status ListBlobSequences(grpc::ServerContext* context,
                                 const tensorboard::data::ListBlobSequencesRequest* request,
                                 tensorboard::data::ListBlobSequencesResponse* response) override;
  grpc::Status ReadBlobSequences(grpc::ServerContext* context,
                                 const tensorboard::data::ReadBlobSequencesRequest* request,
                                 tensorboard::data::ReadBlobSequencesResponse* response) override;
  grpc::Status ReadBlob(grpc::ServerContext* context,
                        const tensorboard::data::ReadBlobRequest* request,
                        grpc::ServerWriter<tensorboard::data::ReadBlobResponse>* writer) override;

 private:
  const LogReader& reader_;
  const std::string data_location_;
  PointSampler sampler_;
};

}  // namespace cboard::data_server
