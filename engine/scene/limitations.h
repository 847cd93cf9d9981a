#pragma once
// Pairs of capabilities that do not go together. docs/limitations.md tells users the same; a test compares the two.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace talus {

enum class Capability : std::uint8_t {
  worlds,
  upsampling,
  incremental_rebuild,
  cloth,
  dynamic_bodies,
  without_lists,
  linked_neighbours,
  gauss_seidel,
  gpu,
  change_emission,
  hand,
  window,
  depth_cameras,
  sinks,
  contact_forces,
  clumps,
  iterated_methods,
  without_rotation,
  shapes,
  sleep,
  soil,
  without_sleep,
  hertz,
  adhesion,
};

// As documents and messages call it.
std::string_view name_of(Capability capability);

enum class Effect : std::uint8_t {
  error,    // the scene is refused
  warning,  // the second one has no effect, and a scene that asks for it by a key gets a warning
  limited   // the second one leaves the first out
};
std::string_view name_of(Effect effect);

struct Limitation {
  Capability first, second;
  Effect effect;
  std::string_view what;
};

inline constexpr std::array limitations{
    Limitation{Capability::worlds, Capability::upsampling, Effect::error,
               "fine grains, and the grid in which they find coarse ones, exist once"},
    Limitation{Capability::worlds, Capability::incremental_rebuild, Effect::warning,
               "the neighbour lists of all grains of a world are rebuilt, since only worlds that rebuild have a table "
               "of cells"},
    Limitation{Capability::worlds, Capability::change_emission, Effect::error,
               "each world has an emission schedule of its own, so that the simulation must start anew"},
    Limitation{Capability::worlds, Capability::hand, Effect::limited, "the hand takes grains of the first world"},
    Limitation{Capability::worlds, Capability::window, Effect::limited,
               "the window and the pictures of talus render show the first world"},
    Limitation{Capability::cloth, Capability::incremental_rebuild, Effect::warning,
               "the neighbour lists of all grains are rebuilt, since triangles lie in cells of their own"},
    Limitation{Capability::cloth, Capability::upsampling, Effect::limited, "fine grains go through cloth"},
    Limitation{Capability::cloth, Capability::depth_cameras, Effect::limited, "depth cameras do not see cloth"},
    Limitation{Capability::cloth, Capability::sinks, Effect::limited, "sinks do not take cloth"},
    Limitation{Capability::cloth, Capability::contact_forces, Effect::limited,
               "contacts with cloth count as contacts, but no force of theirs is evaluated"},
    Limitation{Capability::cloth, Capability::without_lists, Effect::error,
               "contacts with cloth are kept in contact lists"},
    Limitation{Capability::dynamic_bodies, Capability::without_lists, Effect::error,
               "contact lists count what shares the mass of a dynamic body"},
    Limitation{Capability::linked_neighbours, Capability::incremental_rebuild, Effect::error,
               "an incremental rebuild searches sorted cells"},
    Limitation{Capability::upsampling, Capability::depth_cameras, Effect::limited,
               "depth cameras see coarse grains alone"},
    Limitation{
        Capability::clumps, Capability::iterated_methods, Effect::error,
        "clumps are moved by what dem's contacts have changed of their spheres in a substep: use method = \"dem\""},
    Limitation{Capability::clumps, Capability::without_rotation, Effect::error,
               "the friction at a sphere turns its clump by the spin of that sphere: use rotation = true"},
    Limitation{Capability::clumps, Capability::upsampling, Effect::error,
               "fine grains would count the overlaps of a clump's spheres twice"},
    Limitation{Capability::cloth, Capability::sleep, Effect::warning,
               "all grains stay awake, since cloth moves its vertices after the contacts of dem"},
    Limitation{Capability::clumps, Capability::sleep, Effect::warning,
               "all grains stay awake, since a clump moves its spheres after their contacts"},
    Limitation{Capability::shapes, Capability::sleep, Effect::warning,
               "all grains stay awake, since a shape moves its particles after their contacts"},
    Limitation{Capability::soil, Capability::iterated_methods, Effect::error,
               "the ground takes in grains of dem that sleep: use method = \"dem\""},
    Limitation{Capability::soil, Capability::without_sleep, Effect::error,
               "the ground takes in grains that sleep: use sleep = true"},
    Limitation{Capability::soil, Capability::cloth, Effect::error, "beside cloth all grains stay awake"},
    Limitation{Capability::soil, Capability::shapes, Effect::error, "beside bodies of particles all grains stay awake"},
    Limitation{Capability::soil, Capability::clumps, Effect::error, "beside clumps all grains stay awake"},
    Limitation{Capability::soil, Capability::upsampling, Effect::error,
               "grains that come from the ground have no fine grains"},
    Limitation{
        Capability::hertz, Capability::adhesion, Effect::error,
        "a Hertzian contact does not pull, and JKR's or DMT's, which do, are not there: use contact = \"linear\""},
    Limitation{Capability::gauss_seidel, Capability::gpu, Effect::error,
               "it goes through the contacts one after another, on the CPU only: use --device cpu"},
};

// Throws std::logic_error for a pair that has no limitation.
const Limitation& limitation_of(Capability first, Capability second);

// "A and B do not go together: why; docs/limitations.md lists all such pairs".
std::string say(const Limitation& limitation);

}  // namespace talus
