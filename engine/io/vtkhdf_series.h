#pragma once
// VTK's files in HDF5, which ParaView opens: DIR/grains.vtkhdf, fine.vtkhdf, contacts.vtkhdf, cloth.vtkhdf and
// bodies.vtkhdf have all times, as transient PolyData. Where Talus is built without HDF5 there are none.
#include "engine/io/series.h"
#include <memory>

namespace talus {

bool has_hdf5();

// Throws ExportError where there is no HDF5.
std::unique_ptr<FrameWriter> vtkhdf_series(const std::filesystem::path& directory, const Scene& scene,
                                           std::uint64_t keep_before, const ExportOptions& options);

}  // namespace talus
