#pragma once
// Rank 0 asks all ranks for the calls of an executor, which this file records as bytes, one after another.
#include "engine/core/executor.h"
#include "engine/mpi/part.h"

namespace talus::mpi {

// Each function records a call of the Part function of its name.
class Commands {
public:
  void specialize(const Features& features);
  void run(Pass pass, Work work, const Args& args);
  void repeat(std::uint32_t times, const std::function<void()>& record);
  void swap(FieldId id);
  void copy(FieldCopy from, FieldCopy to);
  void copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset, std::size_t bytes);
  void keep(FieldCopy field, std::size_t elements);
  void resize(FieldId id, std::size_t elements);
  void write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset);
  void make_whole(FieldCopy field);
  void summarize();

  Bytes take() { return std::exchange(bytes_, {}); }
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }

private:
  template <class... Values> void record(const Values&... values);
  Bytes bytes_;
};

// Calls the functions of this rank's part that were recorded.
void carry_out(std::span<const std::byte> commands, Part& part);

}  // namespace talus::mpi
