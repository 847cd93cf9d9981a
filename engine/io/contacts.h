#pragma once
// Who touches whom, and with what force.
#include "engine/talus.h"
#include <memory>
#include <vector>

namespace talus {

struct Fields;

// A contact that presses, once for each pair. Forces are those on `grain`; its partner gets the opposite.
struct ContactState {
  enum class Partner : std::uint32_t { grain, body, wall };
  std::uint32_t world, grain;  // grain: id, the lower one of two grains
  Partner kind;
  std::uint32_t partner;  // id of the other grain, index into Scene::bodies, or wall: 2 axis, + 1 at domain.max
  glm::vec3 point;        // m, in the middle of the overlap; of a body or a wall: on its surface
  glm::vec3 normal;       // N
  glm::vec3 friction;     // N, across the normal
};

// What contacts follow from: copies of the fields that hold them. From these they are found by the reference passes, on
// any thread, while the simulation goes on.
//
// They are those of the last substep, with the forces that the next one would begin with in dem, and those of the last
// one in other methods (Simulation::evaluate_contacts() says how exact they are). Contacts with cloth have none. At the
// start of a world neighbour lists are built for them, as Simulation::measure() does.
class ContactFields {
public:
  explicit ContactFields(Simulation& simulation);
  std::vector<ContactState> contacts() const;  // sorted by world, grain, kind and partner

private:
  std::shared_ptr<Fields> fields_;
  float substep_;  // s
};

inline std::vector<ContactState> contacts_of(Simulation& simulation) {
  return ContactFields(simulation).contacts();
}

}  // namespace talus
