// Checkpoints in files and in memory.
#include "engine/c/border.h"
#include "engine/simulation/checkpoint_file.h"

using namespace talus::c;

talus_result talus_save(talus_simulation* simulation, const char* file) {
  return guarded([&] { Use(simulation)->save(path_of(file, "file")); });
}

talus_result talus_resume(talus_simulation* simulation, const char* file) {
  return guarded([&] { Use(simulation)->resume(path_of(file, "file")); });
}

talus_result talus_checkpoint_create(talus_simulation* simulation, talus_checkpoint** checkpoint) {
  return guarded([&] {
    given(checkpoint, "checkpoint");
    *checkpoint = new_handle<talus_checkpoint>(talus::checkpoint_bytes(Use(simulation)->checkpoint()));
  });
}

talus_result talus_checkpoint_bytes(const talus_checkpoint* checkpoint, const void** bytes, uint64_t* count) {
  return guarded([&] {
    given(bytes, "bytes");
    given(count, "count");
    const auto found = object_of(checkpoint);
    *bytes = found->bytes.data();
    *count = found->bytes.size();
  });
}

talus_result talus_checkpoint_free(talus_checkpoint* checkpoint) {
  return guarded([&] { free_handle(checkpoint); });
}

talus_result talus_resume_bytes(talus_simulation* simulation, const void* bytes, uint64_t count) {
  return guarded([&] {
    const Use used(simulation);
    used->resume(
        talus::read_checkpoint({static_cast<const std::byte*>(&given(static_cast<const std::byte*>(bytes), "bytes")),
                                static_cast<std::size_t>(count)}));
  });
}
