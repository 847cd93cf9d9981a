#include "engine/simulation/evaluation.h"
#include "engine/base/assert.h"
#include "engine/core/compare.h"
#include "engine/core/depth_cameras.h"
#include <algorithm>

namespace talus {

// At the start, and after a rollback, there are no lists of these positions yet. The next step would build the same.
// Steps that find contacts without lists leave those of an earlier measurement behind.
void Evaluation::build_lists() {
  bool outdated = compare::without_lists(model_.scene().solver);
  commands_.write_motions(1);
  while (outdated || run_.lists_are_invalid()) {
    talus::build_lists(memory_.executor(), planner_.now());
    outdated = false;
    if (const Status status = run_.read_status(); status.halt == halt_slots) {
      run_.go_on_after_halt(status);
      memory_.grow_contacts(status, run_.step());
    }
  }
}

Measure Evaluation::measure(std::optional<std::uint32_t> world) {
  Measure m;
  if (grains_.alive() == 0)
    return m;
  build_lists();
  if (model_.settings().bodies.count > 0)
    move_bodies(memory_.executor(), planner_.now());
  Args args{};
  args.grains = grains_.slots_at(run_.step());
  args.h = static_cast<float>(substep_of(model_.scene()));
  memory_.executor().run(Pass::measure, {args.grains}, args);
  const auto parts = read_field<GrainMeasure>(memory_.executor(), FieldId::measures, args.grains);
  const GrainsRead state = grains_.read();
  const auto clumps =
      read_field<ClumpMotion>(memory_.executor(), FieldId::clump_motions,
                              std::min<std::size_t>(args.grains, memory_.executor().size(FieldId::clump_motions)));
  const std::vector<ClumpKind> kinds = clump_kinds_of(model_.scene());
  const double floor = model_.scene().domain.min.z;
  std::uint64_t contacts = 0;
  double penetration = 0.0;
  std::uint32_t counted = 0;
  TALUS_ASSERT(state.by_id.size() == grains_.alive(), state.by_id.size(), grains_.alive());
  for (const std::uint32_t i : state.by_id) {  // in this order, so that equal states have equal sums
    if (world && state.world_of(i) != *world)
      continue;
    ++counted;
    const GrainMeasure& part = parts[i];
    contacts += part.contacts;
    penetration += part.penetration_sum;
    m.contacts_max = std::max(m.contacts_max, part.contacts);
    m.penetration_max = std::max(m.penetration_max, static_cast<double>(part.penetration_max));
    m.kinetic_energy += part.kinetic_energy;
    const Grain& g = state.grains[i];
    const glm::dvec3 velocity{vec3(g.velocity)};
    const uint sphere = state.tags[i] >> tag_sphere_shift & tag_sphere_mask;
    if (sphere == 0 && g.velocity.w > 0.0f)
      m.momentum += velocity / static_cast<double>(g.velocity.w);
    if (sphere == 1 && g.velocity.w > 0.0f)
      m.momentum += glm::dvec3(clumps[i].velocity) *
                    static_cast<double>(kinds[state.tags[i] >> tag_kind_shift].weight[0]) /
                    static_cast<double>(g.velocity.w);
    m.speed_max = std::max(m.speed_max, glm::length(velocity));
    m.height = std::max(m.height, static_cast<double>(g.position.z) + g.position.w - floor);
  }
  const std::uint32_t vertices = world ? model_.settings().cloth.vertices : model_.vertices_of_all();
  TALUS_ASSERT(counted >= vertices, counted, vertices);
  m.grains = counted - vertices;
  m.contacts_mean = counted ? static_cast<double>(contacts) / counted : 0.0;
  m.penetration_mean = contacts ? penetration / static_cast<double>(contacts) : 0.0;
  return m;
}

void Evaluation::make_room_for_lines() {
  Executor& executor = memory_.executor();
  if (const std::size_t slots = executor.size(FieldId::contact_partner); executor.size(FieldId::contact_lines) != slots)
    executor.resize(FieldId::contact_lines, slots);
}

void Evaluation::evaluate_contacts() {
  make_room_for_lines();
  commands_.write_motions(1);
  const StepPlan plan = planner_.now();
  talus::pose_bodies(memory_.executor(), plan);
  talus::evaluate_contacts(memory_.executor(), plan, grains_.listed_at(run_.step()));
  memory_.executor().submit();
}

void Evaluation::pose_bodies() {
  if (model_.scene().bodies.empty())
    return;
  commands_.write_motions(1);
  move_bodies(memory_.executor(), planner_.now());
  memory_.executor().finish();
}

void Evaluation::see_depth(std::uint32_t first, std::uint32_t end) {
  const Scene& scene = model_.scene();
  const std::vector<DepthCamera> cameras = depth_cameras_of(scene);
  TALUS_ASSERT(first <= end && end <= cameras.size(), first, end, cameras.size());
  commands_.write_motions(1);
  const StepPlan plan = planner_.now();
  move_bodies(memory_.executor(), plan);
  for (std::uint32_t c = first; c < end; ++c)
    talus::see_depth(memory_.executor(), plan, c, static_cast<std::uint32_t>(pixels_of(cameras[c], scene)),
                     scene.soil.has_value(), cameras[c].heights != 0);
  memory_.executor().submit();
}

std::vector<float> Evaluation::depth(std::uint32_t camera) {
  const DepthCamera c = depth_cameras_of(model_.scene()).at(camera);
  see_depth(camera, camera + 1);
  std::vector<float> image(pixels_of(c, model_.scene()));
  TALUS_ASSERT(c.first + image.size() <= memory_.executor().size(FieldId::depth_bits), c.first, image.size());
  memory_.executor().read(FieldId::depth_bits, std::as_writable_bytes(std::span(image)), c.first * sizeof(float));
  return image;
}

}  // namespace talus
