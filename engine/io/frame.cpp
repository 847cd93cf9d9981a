#include "engine/io/frame.h"
#include "engine/scene/clump.h"

namespace talus {

Frame frame_of(Simulation& simulation, const ExportOptions& options) {
  const Scene& scene = simulation.scene();
  Frame frame{simulation.time(), simulation.step(), scene.solver.rotation, simulation.grains(), {}, {}, {}, {}, {}, {}};
  if (scene.upsampling)
    frame.fine = simulation.fine_grains();
  if (options.contacts)
    frame.contacts.emplace(simulation);
  if (has_clumps(scene))
    frame.clumps = simulation.clumps();
  for (std::uint32_t c = 0; c < simulation.worlds() * scene.cloths.size(); ++c)
    frame.cloths.push_back(simulation.cloth_state(c));
  for (std::uint32_t b = 0; b < simulation.worlds() * scene.bodies.size(); ++b)
    frame.bodies.push_back(simulation.body_state(b));
  for (std::uint32_t w = 0; scene.soil && w < simulation.worlds(); ++w)
    frame.ground.push_back(simulation.soil_heights(w));
  return frame;
}

FramePoints points_of(const Frame& frame) {
  FramePoints points;
  std::vector<ContactState> contacts;
  if (frame.contacts) {
    contacts = frame.contacts->contacts();
    points.contacts = contact_points(contacts, frame.time);
  }
  points.grains =
      grain_points(frame.grains, frame.time,
                   {frame.rotates, frame.contacts ? &contacts : nullptr, frame.clumps ? &*frame.clumps : nullptr});
  if (frame.fine)
    points.fine = grain_points(*frame.fine, frame.time, {});
  return points;
}

}  // namespace talus
