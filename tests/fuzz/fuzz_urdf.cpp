// URDF files as robots of a scene, whatever drives them, which is the same once written and read again.
#include "engine/scene/text.h"
#include "engine/scene/urdf.h"
#include "small.h"
#include <cmath>

using namespace talus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const talus_fuzz::Folder folder;
  static const std::string name = (folder.path() / "scene.toml").string();
  const std::string_view text = talus_fuzz::text_of(data, size);
  try {
    const Urdf robot = parse_urdf(std::string(text), "robot.urdf");
    if (links_from_root(robot).size() != robot.links.size() || robot.joints.size() + 1 != robot.links.size())
      __builtin_trap();
    for (const UrdfJoint& joint : robot.joints)
      if (joint.parent >= robot.links.size() || joint.child >= robot.links.size() || joint.parent == joint.child ||
          !(std::abs(glm::length(joint.axis) - 1.0) < 1e-9))
        __builtin_trap();
    folder.write("robot.urdf", text);
  } catch (const UrdfError&) {
    return 0;
  }
  for (const char* drive : {"", "drive = \"position\"\nstiffness = 100\n", "drive = \"passive\"\nbase = \"free\"\n"})
    try {
      const std::string scene =
          to_toml(parse_scene(std::string("[[robot]]\nname = \"r\"\nfile = \"robot.urdf\"\n") + drive, name));
      if (to_toml(parse_scene(scene, name)) != scene)
        __builtin_trap();
    } catch (const SceneError&) {
    }
  return 0;
}
