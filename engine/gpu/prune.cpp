#include "engine/gpu/prune.h"
#include "engine/gpu/spirv.h"
#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

namespace talus::gpu {
namespace {

using Value = std::optional<std::uint32_t>;  // the bits of a number, or 1 and 0 of a truth; none: not known

constexpr std::size_t none = ~std::size_t{0};

struct Block {
  std::uint32_t label = 0, merge = 0, continues = 0;  // those that its merge instruction names; 0: none
  std::size_t begin = 0, end = 0;                     // of instructions, from its label to its terminator
  std::size_t enters = 0;                             // blocks that lead here, as the shader is written
  bool runs = false;
};

struct Function {
  std::uint32_t id = 0;
  std::vector<std::uint32_t> parameters;
  std::size_t begin = 0, end = 0;  // of instructions, with OpFunctionEnd
  std::vector<Block> blocks;
  bool runs = false;
};

// What is stored in a variable of a function, or given for a parameter, wherever that may run.
struct Content {
  bool followed = false;  // it is a value; or it is only loaded, stored as a whole, and lent to be loaded
  bool given = false, several = false;
  Value value;

  void give(Value other) {
    several = several || !other || (given && other != value);
    given = true;
    value = other;
  }
};

class Pruner {
public:
  explicit Pruner(std::span<const std::uint32_t> spirv)
      : spirv_(spirv), known_(spirv[3]), content_(spirv[3]), pointer_(spirv[3]), function_of_(spirv[3], none) {
    each_instruction(spirv, [&](Instruction in) { code_.push_back(in); });
    find_functions();
    find_contents();
  }

  std::vector<std::uint32_t> pruned() {
    // A loop that is cut short keeps a branch to its head from a block that nothing leads to, for which a phi there
    // would need a value. glslang keeps in variables what changes in a loop.
    for (const Function& function : functions_)
      for (const Block& block : function.blocks)
        if (block.continues && op_of(code_[block.begin + 1]) == spv::OpPhi)
          return {spirv_.begin(), spirv_.end()};
    do
      changed_ = false, look();
    while (changed_);
    return write();
  }

private:
  std::span<const std::uint32_t> spirv_;
  std::vector<Instruction> code_;
  std::vector<Function> functions_;
  // By id: of a result its value, of a variable and what points to one what is in it, of a function what it returns.
  std::vector<Value> known_;
  std::vector<Content> content_;
  std::vector<bool> pointer_;  // is it a type of pointers, or a variable or parameter of one?
  std::vector<std::size_t> function_of_;
  std::uint32_t entry_ = 0;
  bool changed_ = false;

  // --- What the module says.

  void find_functions() {
    for (std::size_t k = 0; k < code_.size(); ++k) {
      const Instruction in = code_[k];
      switch (op_of(in)) {
      case spv::OpEntryPoint:
        entry_ = in[2];
        break;
      case spv::OpConstantTrue:
      case spv::OpConstantFalse:
        known_[in[2]] = op_of(in) == spv::OpConstantTrue;
        break;
      case spv::OpConstant:
        if (in.size() == 4)
          known_[in[2]] = in[3];
        break;
      case spv::OpSpecConstantOp:
        if (in.size() == 5)
          known_[in[2]] = of_one(static_cast<spv::Op>(in[3]), in[4]);
        else if (in.size() == 6)
          known_[in[2]] = of_two(static_cast<spv::Op>(in[3]), in[4], in[5]);
        break;
      case spv::OpTypePointer:
        pointer_[in[1]] = true;
        break;
      case spv::OpFunction:
        function_of_[in[2]] = functions_.size();
        functions_.push_back({.id = in[2], .parameters = {}, .begin = k, .end = k, .blocks = {}});
        break;
      case spv::OpFunctionParameter:
        functions_.back().parameters.push_back(in[2]);
        [[fallthrough]];
      case spv::OpVariable:
        pointer_[in[2]] = pointer_[in[1]];
        content_[in[2]].followed = !functions_.empty();
        break;
      case spv::OpLabel:
        functions_.back().blocks.push_back({.label = in[1], .begin = k, .end = k});
        break;
      case spv::OpSelectionMerge:
        functions_.back().blocks.back().merge = in[1];
        break;
      case spv::OpLoopMerge:
        functions_.back().blocks.back().merge = in[1];
        functions_.back().blocks.back().continues = in[2];
        break;
      case spv::OpFunctionEnd:
        functions_.back().end = k + 1;
        break;
      default:
        break;
      }
      if (!functions_.empty() && functions_.back().end <= functions_.back().begin && !functions_.back().blocks.empty())
        functions_.back().blocks.back().end = k + 1;
    }
    for (Function& function : functions_)
      for (const Block& block : function.blocks)
        for (const std::uint32_t next : written_ways(block))
          if (Block* to = block_of(function, next))
            ++to->enters;
  }

  // Leaves out the variables and parameters of which more is done than to load and store them: parts are taken of them,
  // or functions write to them.
  void find_contents() {
    const auto leave_out = [&](std::uint32_t id) {
      if (id < content_.size() && pointer_[id])
        content_[id].followed = false;
    };
    for (const Function& function : functions_)
      for (std::size_t k = function.begin; k < function.end; ++k)
        switch (const Instruction in = code_[k]; op_of(in)) {
        case spv::OpLoad:
        case spv::OpVariable:
        case spv::OpFunctionParameter:
          break;
        case spv::OpStore:
        case spv::OpFunctionCall:
          for (const std::uint32_t parameter : function.parameters)
            if (std::ranges::count(in.subspan(1), parameter))
              leave_out(parameter);
          break;
        default:
          for (const std::uint32_t word : in.subspan(1))  // a literal that looks like one counts, too
            leave_out(word);
        }
    for (const Function& function : functions_)
      for (std::size_t k = function.begin; k < function.end; ++k)
        if (const Instruction in = code_[k]; op_of(in) == spv::OpFunctionCall)
          for (std::size_t a = 4; a < in.size(); ++a)
            if (!content_[functions_[function_of_[in[3]]].parameters[a - 4]].followed)
              leave_out(in[a]);
  }

  static Block* block_of(Function& function, std::uint32_t label) {
    const auto found = std::ranges::find(function.blocks, label, &Block::label);
    return found == function.blocks.end() ? nullptr : &*found;
  }

  Instruction last(const Block& block) const { return code_[block.end - 1]; }

  std::vector<std::uint32_t> written_ways(const Block& block) const {
    const Instruction in = last(block);
    switch (op_of(in)) {
    case spv::OpBranch:
      return {in[1]};
    case spv::OpBranchConditional:
      return {in[2], in[3]};
    case spv::OpSwitch: {
      std::vector<std::uint32_t> ways{in[2]};
      for (std::size_t k = 4; k < in.size(); k += 2)
        ways.push_back(in[k]);
      return ways;
    }
    default:
      return {};
    }
  }

  // --- What follows from it.

  // Where a branch goes whose condition is known; 0: it stays. A selection that more than its two sides lead out of
  // stays, since its merge instruction allows them to; and so does a branch at the end of a loop, which has to have
  // one.
  std::uint32_t decided(Function& function, const Block& block) const {
    const Instruction in = last(block);
    if (op_of(in) != spv::OpBranchConditional || block.continues || !known_[in[1]])
      return 0;
    if (const Block* merge = block.merge ? block_of(function, block.merge) : nullptr; merge && merge->enters > 2)
      return 0;
    if (block_of(function, in[2])->continues || block_of(function, in[3])->continues)
      return 0;
    return *known_[in[1]] ? in[2] : in[3];
  }

  std::vector<std::uint32_t> ways(Function& function, const Block& block) const {
    const std::uint32_t way = decided(function, block);
    return way ? std::vector{way} : written_ways(block);
  }

  void look() {
    for (Function& function : functions_) {
      function.runs = false;
      for (Block& block : function.blocks)
        block.runs = false;
    }
    for (Content& content : content_)
      content.given = content.several = false;
    run(functions_[function_of_[entry_]]);
    for (std::uint32_t id = 0; id < content_.size(); ++id)
      if (const Content& content = content_[id]; content.followed && content.given && !content.several)
        learn(id, content.value);
  }

  void learn(std::uint32_t id, Value value) {
    if (value && !known_[id]) {
      known_[id] = value;
      changed_ = true;
    }
  }

  // Finds which blocks may run by what is known so far, then what follows from all of these.
  void run(Function& function) {
    function.runs = function.blocks[0].runs = true;
    for (std::vector<Block*> waiting{&function.blocks[0]}; !waiting.empty();) {
      const Block& block = *waiting.back();
      waiting.pop_back();
      for (const std::uint32_t next : ways(function, block))
        if (Block* to = block_of(function, next); !to->runs) {
          to->runs = true;
          waiting.push_back(to);
        }
    }
    Content result;
    for (const Block& block : function.blocks)
      for (std::size_t k = block.begin; k < block.end && block.runs; ++k) {
        evaluate(function, block, code_[k]);
        if (op_of(code_[k]) == spv::OpReturnValue)
          result.give(known_[code_[k][1]]);
      }
    if (result.given && !result.several)
      learn(function.id, result.value);
  }

  void evaluate(Function& function, const Block& block, Instruction in) {
    switch (op_of(in)) {
    case spv::OpVariable:
      if (in.size() > 4)
        content_[in[2]].give(known_[in[4]]);
      return;
    case spv::OpStore:
      content_[in[1]].give(known_[in[2]]);
      return;
    case spv::OpFunctionCall: {
      Function& called = functions_[function_of_[in[3]]];
      for (std::size_t a = 4; a < in.size(); ++a)
        content_[called.parameters[a - 4]].give(known_[in[a]]);
      if (!called.runs)
        run(called);
      return learn(in[2], known_[called.id]);
    }
    case spv::OpLoad:
      return learn(in[2], known_[in[3]]);
    case spv::OpPhi: {
      Content value;
      for (std::size_t k = 3; k < in.size(); k += 2) {
        const Block* from = block_of(function, in[k + 1]);
        if (from && from->runs && std::ranges::count(ways(function, *from), block.label))
          value.give(known_[in[k]]);
      }
      if (value.given && !value.several)
        learn(in[2], value.value);
      return;
    }
    case spv::OpSelect:
      if (known_[in[3]])
        learn(in[2], known_[*known_[in[3]] ? in[4] : in[5]]);
      return;
    default:
      if (in.size() == 4 && result_of(in) == in[2])
        learn(in[2], of_one(op_of(in), in[3]));
      else if (in.size() == 5 && result_of(in) == in[2])
        learn(in[2], of_two(op_of(in), in[3], in[4]));
    }
  }

  Value of_one(spv::Op op, std::uint32_t operand) const {
    if (operand >= known_.size() || !known_[operand])
      return {};
    switch (op) {
    case spv::OpLogicalNot:
      return !*known_[operand];
    case spv::OpBitCount:
      return static_cast<std::uint32_t>(std::popcount(*known_[operand]));
    default:
      return {};
    }
  }

  // Operations of whole numbers and truths, which one operand alone may decide.
  Value of_two(spv::Op op, std::uint32_t first, std::uint32_t second) const {
    if (first >= known_.size() || second >= known_.size())  // a literal
      return {};
    const Value a = known_[first], b = known_[second];
    switch (op) {
    case spv::OpLogicalAnd:
    case spv::OpBitwiseAnd:
      if (a == 0u || b == 0u)
        return 0u;
      break;
    case spv::OpLogicalOr:
      if (a == 1u || b == 1u)
        return 1u;
      break;
    case spv::OpULessThan:
      if (b == 0u)
        return 0u;
      break;
    case spv::OpUGreaterThan:
      if (a == 0u)
        return 0u;
      break;
    default:
      break;
    }
    if (!a || !b)
      return {};
    const auto less = static_cast<std::int32_t>(*a) < static_cast<std::int32_t>(*b);
    switch (op) {
    case spv::OpLogicalAnd:
    case spv::OpBitwiseAnd:
      return *a & *b;
    case spv::OpLogicalOr:
    case spv::OpBitwiseOr:
      return *a | *b;
    case spv::OpIEqual:
    case spv::OpLogicalEqual:
      return *a == *b;
    case spv::OpINotEqual:
    case spv::OpLogicalNotEqual:
      return *a != *b;
    case spv::OpULessThan:
      return *a < *b;
    case spv::OpUGreaterThan:
      return *a > *b;
    case spv::OpULessThanEqual:
      return *a <= *b;
    case spv::OpUGreaterThanEqual:
      return *a >= *b;
    case spv::OpSLessThan:
      return less;
    case spv::OpSGreaterThanEqual:
      return !less;
    case spv::OpIAdd:
      return *a + *b;
    case spv::OpISub:
      return *a - *b;
    case spv::OpShiftLeftLogical:
      return *b < 32 ? Value(*a << *b) : Value();
    case spv::OpShiftRightLogical:
      return *b < 32 ? Value(*a >> *b) : Value();
    default:
      return {};
    }
  }

  // --- What is left.

  std::vector<std::uint32_t> write() {
    std::vector<std::uint32_t> out(spirv_.begin(), spirv_.begin() + spirv_header_words), body;
    std::vector<bool> gone(known_.size(), false);  // ids
    for (Function& function : functions_) {
      if (function.runs)
        write(function, body, gone);
      else
        for (std::size_t k = function.begin; k < function.end; ++k)
          gone[result_of(code_[k])] = true;
    }
    gone[0] = false;  // no id
    const std::size_t first = functions_.front().begin;
    for (const Instruction in : std::span(code_).first(first))
      if ((op_of(in) != spv::OpName && op_of(in) != spv::OpDecorate) || !gone[in[1]])
        out.insert(out.end(), in.begin(), in.end());
    out.insert(out.end(), body.begin(), body.end());
    return out;
  }

  static void branch(std::vector<std::uint32_t>& out, std::uint32_t to) {
    out.insert(out.end(), {2u << spv::WordCountShift | spv::OpBranch, to});
  }
  static void bare(std::vector<std::uint32_t>& out, spv::Op op) { out.push_back(1u << spv::WordCountShift | op); }

  void write(Function& function, std::vector<std::uint32_t>& out, std::vector<bool>& gone) {
    const auto copy = [&](Instruction in) { out.insert(out.end(), in.begin(), in.end()); };
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> enters;  // by label: blocks that lead there
    for (const Block& block : function.blocks)
      if (block.runs)
        for (const std::uint32_t next : ways(function, block))
          enters[next].push_back(block.label);
    // A loop that never comes back is none any more, where only one way leads out of it.
    const auto loops = [&](const Block& block) {
      return block_of(function, block.continues)->runs || enters[block.merge].size() > 1;
    };
    // What the merge instructions that stay name has to be there; 0 in place of a loop's head: it ends there.
    std::unordered_map<std::uint32_t, std::uint32_t> named;
    for (const Block& block : function.blocks)
      if (block.runs && (block.continues ? loops(block) : block.merge && !decided(function, block))) {
        named.emplace(block.merge, 0);
        if (block.continues)
          named[block.continues] = block.label;
      }
    for (std::size_t k = function.begin; k < function.blocks[0].begin; ++k)
      copy(code_[k]);
    for (const Block& block : function.blocks) {
      if (!block.runs) {
        const auto stub = named.find(block.label);
        for (std::size_t k = block.begin; k < block.end; ++k)
          gone[result_of(code_[k])] = true;
        if (stub != named.end()) {
          gone[block.label] = false;
          copy(code_[block.begin]);
          stub->second ? branch(out, stub->second) : bare(out, spv::OpUnreachable);
        }
        continue;
      }
      const std::uint32_t way = decided(function, block);
      for (std::size_t k = block.begin; k < block.end; ++k) {
        const Instruction in = code_[k];
        if (op_of(in) == spv::OpPhi) {
          std::vector<std::uint32_t> phi(in.begin(), in.begin() + 3);
          for (std::size_t pair = 3; pair < in.size(); pair += 2)
            if (std::ranges::count(enters[block.label], in[pair + 1]))
              phi.insert(phi.end(), {in[pair], in[pair + 1]});
          phi[0] = static_cast<std::uint32_t>(phi.size()) << spv::WordCountShift | spv::OpPhi;
          copy(phi);
        } else if (k + 1 == block.end && way)
          branch(out, way);
        else if (op_of(in) == spv::OpSelectionMerge ? way == 0 : op_of(in) != spv::OpLoopMerge || loops(block))
          copy(in);
      }
    }
    bare(out, spv::OpFunctionEnd);
  }
};

}  // namespace

std::vector<std::uint32_t> prune(std::span<const std::uint32_t> spirv) {
  return Pruner(spirv).pruned();
}

}  // namespace talus::gpu
