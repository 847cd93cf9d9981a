#pragma once
// What a picture is to show of a state: what the scene says of that, and what only those who look at it want.
#include "engine/scene/scene.h"

namespace talus {

// Contacts that press, as lines between centres. force: as thick as it is great.
enum class ContactLines { none, plain, force };

struct Look : Output {
  ContactLines contacts = ContactLines::none;
  double line_force = 0.0;  // N, of the thickest lines; 0: the greatest there is
  double grain_size = 1.0;  // that coarse grains are drawn with, of their radius

  Look() = default;
  Look(const Output& output) : Output(output) {}
};

// Is this what grains feel? Then it takes Simulation::survey(), and coarse grains are shown, which have contacts.
bool shows_contacts(const Look& look);

}  // namespace talus
