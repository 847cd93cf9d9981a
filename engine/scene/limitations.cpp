#include "engine/scene/limitations.h"
#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace talus {

std::string_view name_of(Capability capability) {
  switch (capability) {
  case Capability::worlds:
    return "several worlds (or shelves)";
  case Capability::upsampling:
    return "upsampling";
  case Capability::incremental_rebuild:
    return "incremental rebuild";
  case Capability::cloth:
    return "cloth";
  case Capability::dynamic_bodies:
    return "dynamic bodies";
  case Capability::without_lists:
    return "detection without contact lists";
  case Capability::linked_neighbours:
    return "linked neighbours";
  case Capability::gauss_seidel:
    return "iteration gauss_seidel";
  case Capability::gpu:
    return "a Vulkan device, or --verify";
  case Capability::change_emission:
    return "changing emitters, gravity or time.dt on the way";
  case Capability::hand:
    return "the hand of the viewer";
  case Capability::window:
    return "the viewer and talus render";
  case Capability::depth_cameras:
    return "depth cameras";
  case Capability::sinks:
    return "sinks";
  case Capability::contact_forces:
    return "evaluation of contact forces";
  case Capability::clumps:
    return "clumps";
  case Capability::iterated_methods:
    return "methods p2, pbd, vts and sp";
  case Capability::without_rotation:
    return "grains without rotation";
  case Capability::shapes:
    return "shape-matched bodies";
  case Capability::sleep:
    return "sleep";
  case Capability::soil:
    return "soil";
  case Capability::without_sleep:
    return "grains that do not sleep";
  case Capability::hertz:
    return "contact = \"hertz\"";
  case Capability::adhesion:
    return "adhesion";
  }
  return "";
}

std::string_view name_of(Effect effect) {
  return effect == Effect::error ? "error" : effect == Effect::warning ? "warning" : "limited";
}

const Limitation& limitation_of(Capability first, Capability second) {
  const auto at =
      std::ranges::find_if(limitations, [&](const Limitation& e) { return e.first == first && e.second == second; });
  if (at == limitations.end())
    throw std::logic_error(fmt::format("{} and {} are no limitation", name_of(first), name_of(second)));
  return *at;
}

std::string say(const Limitation& limitation) {
  return fmt::format("{} and {} do not go together: {}; docs/limitations.md lists all such pairs",
                     name_of(limitation.first), name_of(limitation.second), limitation.what);
}

}  // namespace talus
