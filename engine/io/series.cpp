#include "engine/io/series.h"
#include "engine/io/background.h"
#include "engine/io/file_series.h"
#include "engine/io/ground_series.h"
#include "engine/io/gsd_series.h"
#include "engine/io/usd_series.h"
#include "engine/io/vtkhdf_series.h"
#include <fmt/format.h>
#include <system_error>
#include <utility>

namespace talus {
namespace {

constexpr std::size_t waiting_most = 2;  // states: one that is written and one beside it

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw ExportError(fmt::format("{} cannot be made: {}", directory.string(), error.message()));
}

std::unique_ptr<FrameWriter> writer_of(const std::filesystem::path& directory, Format format, const Scene& scene,
                                       std::uint64_t keep_before, const ExportOptions& options) {
  switch (format) {
  case Format::gsd:
    return std::make_unique<GsdSeries>(directory, scene, keep_before, options);
  case Format::usda:
    return std::make_unique<UsdSeries>(directory, scene, keep_before);
  case Format::vtkhdf:
    return vtkhdf_series(directory, scene, keep_before, options);
  default:
    return std::make_unique<FileSeries>(directory, format, scene, keep_before, options);
  }
}

}  // namespace

Series::Series(const std::filesystem::path& directory, Format format, const Scene& scene, std::uint64_t keep_before,
               const ExportOptions& options)
    : options_(options) {
  make_directory(directory);
  writer_ = writer_of(directory, format, scene, keep_before, options);
  if (scene.soil)
    ground_ = std::make_unique<GroundSeries>(directory, format, scene, keep_before);
  background_ = std::make_unique<Background>(waiting_most);
}

Series::Series(Series&&) noexcept = default;
Series::~Series() = default;

void Series::add(Simulation& simulation) {
  // std::function wants what can be copied.
  background_->post([writer = writer_.get(), ground = ground_.get(),
                     frame = std::make_shared<const Frame>(frame_of(simulation, options_))] {
    writer->add(*frame);
    if (ground)
      ground->add(*frame);
  });
}

void Series::finish() {
  background_->finish();
}

}  // namespace talus
