#pragma once
// What a picture is to show of a state: what the scene says of that, and what only those who look at it want.
#include "engine/scene/scene.h"
#include <cstdint>
#include <optional>

namespace talus {

// Contacts that press, as lines between centres. force: as thick as it is great.
enum class ContactLines { none, plain, force };

enum class BodiesAs { solid, wireframe, hidden };  // cloth and shapes stay as they are

// A plane through a body that shows how far its surface is, as bands: blue inside, yellow outside, black where it is.
struct Slice {
  std::uint32_t body = 0;  // index into Scene::bodies
  int axis = 2;            // of its frame, across the plane
  double place = 0.0;      // from one end of the body to the other, -1 .. 1
  bool operator==(const Slice&) const = default;
};

struct Look : Output {
  BodiesAs bodies = BodiesAs::solid;
  std::optional<Slice> slice;
  ContactLines contacts = ContactLines::none;
  double line_force = 0.0;  // N, of the thickest lines; 0: the greatest there is
  double grain_size = 1.0;  // that coarse grains are drawn with, of their radius
  bool marks = true;        // stones and faces that turn with them, in place of balls
  bool even = false;        // the same light from everywhere, in place of sun and sky

  bool culling = true;  // false: draws what is out of view, too; the picture is the same

  Look() = default;
  Look(const Output& output) : Output(output) {}
};

// Is this what grains feel? Then it takes Simulation::evaluate_contacts(), and coarse grains are shown, which have
// contacts.
bool shows_contacts(const Look& look);

}  // namespace talus
