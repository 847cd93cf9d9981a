#pragma once
// Measurements of a state, which change nothing of it.
#include "engine/simulation/planner.h"
#include "engine/talus.h"
#include <optional>

namespace talus {

// Owns nothing but what it computes, in the fields `measures`, `contact_lines`, `depth_bits` and `bodies`.
//
// Between calls: the steps to come have the same bits as without any of this. measure() may build neighbour lists that
// the next step would build.
//
// Needs the model, the fields, the step of the run, commands (motions of bodies), the slots of grains and plans.
class Evaluation {
public:
  Evaluation(const Model& model, FieldMemory& memory, RunState& run, Commands& commands, const GrainSlots& grains,
             const Planner& planner)
      : model_(model), memory_(memory), run_(run), commands_(commands), grains_(grains), planner_(planner) {}

  Measure measure(std::optional<std::uint32_t> world);  // counts one world, or all
  // Contact-force evaluation with the lists and sums of the last substep, whatever their age. It does not wait.
  void evaluate_contacts();
  void make_room_for_lines();  // for as many contact lines as there are contact slots
  // Steps leave bodies where they stood at the start of the last substep. This moves them to where they are now.
  void pose_bodies();
  void see_depth(std::uint32_t first, std::uint32_t end);  // images of the cameras [first, end)
  std::vector<float> depth(std::uint32_t camera);

private:
  void build_lists();

  const Model& model_;
  FieldMemory& memory_;
  RunState& run_;
  Commands& commands_;
  const GrainSlots& grains_;
  const Planner& planner_;
};

// 64 bits over the state of one world, or of all: of fields that declare it what they declare, grains by their ids,
// then fine grains by their numbers, then fields that follow neither.
std::uint64_t hash_of(const Model& model, const FieldMemory& memory, const GrainSlots& grains,
                      std::optional<std::uint32_t> world);

}  // namespace talus
