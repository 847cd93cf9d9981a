#pragma once
// The slots of grains in memory: how many there are, how many grains are in them, and which.
#include "engine/simulation/emission.h"
#include "engine/simulation/hand.h"
#include "engine/talus.h"

namespace talus {

// The grains as they lie in memory, and the slots of those that are there, in the order of their worlds and ids: equal
// states that are read so are equal, whatever order they lie in.
struct GrainsRead {
  std::vector<Grain> grains;
  std::vector<uint> ids, tags;
  std::vector<vec4> spins;  // empty where grains do not rotate
  std::vector<std::uint32_t> by_id;
  std::uint32_t slots_of_world;  // ~0 where the only world has all of them
  std::uint32_t world_of(std::uint32_t slot) const { return slot / slots_of_world; }
  vec3 spin_of(std::uint32_t slot) const {  // rad/s
    return spins.empty() ? vec3(0.0f) : vec3(spins[slot]) / grains[slot].position.w;
  }
};

// Owns the number of grains that each world had at its start.
//
// Between calls:
// - The grains of all worlds are in the first slots_at(step) slots, the fine grains in the first fine_slots_at(step).
//   A slot without a grain has radius 0, and behind the last slot none ever had one.
// - born() - gone() grains are there, vertices of cloth included.
//
// Needs the model, the fields, the counts of the run's state, and how many grains have been due (Emission).
class GrainSlots {
public:
  GrainSlots(const Model& model, FieldMemory& memory, RunState& run, const Emission& emission);

  // Slots that grains have or had after `at` steps, or will have when they find room.
  std::uint32_t slots_at(std::uint64_t at) const;
  // Slots of grains that have neighbour lists. Grains that were emitted in the step before have none yet.
  std::uint32_t listed_at(std::uint64_t at) const { return slots_at(at > 0 ? at - 1 : 0); }
  std::uint32_t fine_slots_at(std::uint64_t at) const;
  std::uint32_t born() const;  // so far, with those of the start
  std::uint32_t gone() const;  // into sinks, or removed
  std::uint32_t alive() const;
  std::uint32_t fine_alive() const;
  std::uint32_t at_start(std::uint32_t world) const {
    TALUS_ASSERT(world < at_start_.size(), world, at_start_.size());
    return at_start_[world];
  }
  std::uint32_t number_alone(std::uint32_t world, uint id) const;  // id of a grain if its world were the only one

  GrainsRead read() const;
  std::vector<GrainState> read_all() const;     // by world and id, without the vertices of cloth
  std::vector<ClumpState> read_clumps() const;  // that move
  std::vector<GrainState> read_fine() const;    // by number, which is their `id`
  // Returns grains of the first world that a hand can hold: neither fixed ones nor vertices of cloth.
  std::vector<HandGrain> within(const glm::dvec3& at, double radius) const;
  // Takes such grains out, and fine grains; returns how many, without fine ones. The world's lists are invalid then.
  std::uint32_t remove(const glm::dvec3& at, double radius);

  void set_at_start(std::uint32_t world, std::uint32_t grains) {
    TALUS_ASSERT(world < at_start_.size(), world, at_start_.size());
    at_start_[world] = grains;
  }
  void count_at_start();  // from the grains that are there now
  // Where many grains are gone, moves the others up, in their order, so that passes do not visit empty slots for ever.
  // Which grains share a slice decides whether their rows have room for what a mend finds, and with it the order in
  // which a grain's contacts are summed. So this happens in steps that are multiples of 32, however long batches are,
  // for batches are cut by the time that they take: a run with sinks ended in one of two states, the other one when the
  // machine was busy.
  void free_slots();
  // Steps from here to the next such one where grains may be gone then, and many enough; else more than any batch has.
  std::uint64_t steps_until_free() const;

private:
  void move_up(Follows what, std::uint32_t slots);
  bool can_be_taken(const GrainsRead& s, std::uint32_t i) const;
  void remove_fine(const glm::dvec3& at, double radius);
  glm::dvec3 offset_of(const vec3& grain, const glm::dvec3& from) const;  // m, the shortest across periodic axes

  const Model& model_;
  FieldMemory& memory_;
  RunState& run_;
  const Emission& emission_;
  std::vector<std::uint32_t> at_start_;  // by world
};

}  // namespace talus
