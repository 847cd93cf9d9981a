#include "engine/gpu/freeze.h"
#include "engine/gpu/prune.h"
#include "engine/gpu/spirv.h"
#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

namespace talus::gpu {
namespace {

class Freezer {
public:
  explicit Freezer(std::span<const Constant> constants) : constants_(constants) {}

  void copy(Instruction in) {
    switch (in[0] & spv::OpCodeMask) {
    case spv::OpDecorate:
      if (in[2] == spv::DecorationSpecId) {
        special_[in[1]] = in[3];
        return;
      }
      break;
    case spv::OpSpecConstantTrue:
      return truth(in, value_of(in[2], 1));
    case spv::OpSpecConstantFalse:
      return truth(in, value_of(in[2], 0));
    case spv::OpConstant:
    case spv::OpSpecConstant:
      if (in.size() == 4)
        return number(in, value_of(in[2], in[3]));
      break;
    case spv::OpSpecConstantOp:
      if (in.size() == 6 && known_.contains(in[4]) && known_.contains(in[5]) && fold(in, known_[in[4]], known_[in[5]]))
        return;
      break;
    }
    out.insert(out.end(), in.begin(), in.end());
  }

  std::vector<std::uint32_t> out;

private:
  std::span<const Constant> constants_;
  std::unordered_map<std::uint32_t, std::uint32_t> special_, known_;  // by result: constant_id; value

  std::uint32_t value_of(std::uint32_t result, std::uint32_t otherwise) const {
    const auto special = special_.find(result);
    if (special == special_.end())
      return otherwise;
    const auto given = std::ranges::find(constants_, special->second, &Constant::id);
    return given == constants_.end() ? otherwise : given->value;
  }

  void number(Instruction in, std::uint32_t value) {
    known_[in[2]] = value;
    out.insert(out.end(), {4u << spv::WordCountShift | spv::OpConstant, in[1], in[2], value});
  }
  void truth(Instruction in, std::uint32_t value) {
    const std::uint32_t op = value ? spv::OpConstantTrue : spv::OpConstantFalse;
    out.insert(out.end(), {3u << spv::WordCountShift | op, in[1], in[2]});
  }

  // The operations that Talus' shaders have.
  bool fold(Instruction in, std::uint32_t a, std::uint32_t b) {
    switch (in[3]) {
    case spv::OpIEqual:
      truth(in, a == b);
      return true;
    case spv::OpINotEqual:
      truth(in, a != b);
      return true;
    case spv::OpBitwiseAnd:
      number(in, a & b);
      return true;
    default:
      return false;
    }
  }
};

}  // namespace

std::vector<std::uint32_t> freeze(std::span<const std::uint32_t> spirv, std::span<const Constant> constants) {
  Freezer freezer(constants);
  freezer.out.assign(spirv.begin(), spirv.begin() + spirv_header_words);
  each_instruction(spirv, [&](Instruction in) { freezer.copy(in); });
  return prune(freezer.out);
}

std::vector<Constant> constants_read(std::span<const std::uint32_t> spirv, std::span<const Constant> constants) {
  std::unordered_map<std::uint32_t, std::uint32_t> special;  // by result: constant_id
  std::unordered_set<std::uint32_t> read;                    // constant_ids
  each_instruction(spirv, [&](Instruction in) {
    switch (in[0] & spv::OpCodeMask) {
    case spv::OpName:
    case spv::OpMemberName:
    case spv::OpMemberDecorate:
    case spv::OpSpecConstant:
    case spv::OpSpecConstantTrue:
    case spv::OpSpecConstantFalse:
      return;
    case spv::OpDecorate:
      if (in[2] == spv::DecorationSpecId)
        special[in[1]] = in[3];
      return;
    }
    // A literal that looks like one of their results counts, too: that costs a compilation and nothing else.
    for (const std::uint32_t word : in.subspan(1))
      if (const auto found = special.find(word); found != special.end())
        read.insert(found->second);
  });
  std::vector<Constant> out;
  std::ranges::copy_if(constants, std::back_inserter(out), [&](const Constant& c) { return read.contains(c.id); });
  return out;
}

}  // namespace talus::gpu
