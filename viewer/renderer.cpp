#include "viewer/renderer.h"
#include "engine/executor.h"
#include "engine/gpu/graph.h"
#include "engine/setup.h"
#include "shaders/shared/draw.h"
#include "viewer/renderer_bodies.h"
#include "viewer/renderer_camera.h"
#include <algorithm>
#include <array>
#include <cmath>

// The embedded SPIR-V.
namespace talus::shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}
namespace talus::draw_shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

namespace talus {
namespace {

using namespace shared;

static_assert(draw_fine == static_cast<uint>(Level::fine) && draw_coarse == static_cast<uint>(Level::coarse) &&
              draw_both == static_cast<uint>(Level::both));
static_assert(draw_by_material == static_cast<uint>(ColorBy::material) &&
              draw_by_speed == static_cast<uint>(ColorBy::speed) && draw_by_depth == static_cast<uint>(ColorBy::depth));

// Vulkan's errors as those of the public API.
template <class F> auto translated(F f) {
  try {
    return f();
  } catch (const gpu::OutOfMemory& error) {
    throw ResourceError(error.what());
  } catch (const gpu::DeviceLost& error) {
    throw ResourceError(error.what());
  } catch (const gpu::Error& error) {
    throw DeviceError(error.what());
  }
}

// How far triangles may lie inside of what is round: too little to see.
double surface_tolerance(const Box& box) {
  const glm::vec3 size = box.max - box.min;
  return 1e-4 * std::max({size.x, size.y, size.z});
}

// 1, 2 or 5 times a power of ten, not above x.
float round_number(float x) {
  const float power = std::pow(10.0f, std::floor(std::log10(x)));
  const float digit = x / power;
  return (digit >= 5.0f ? 5.0f : digit >= 2.0f ? 2.0f : 1.0f) * power;
}

float largest_radius(const Scene& scene) {
  double radius = 0.0;
  each_group(scene, [&](const GrainGroup& group) { radius = std::max(radius, group.radius_max); });
  for (const Emitter& emitter : scene.emitters)
    radius = std::max(radius, emitter.radius_max);
  return static_cast<float>(radius);
}

// The end of the colour scale for speed: the same for all pictures of a scene, so that colours can be compared.
float speed_scale(const Scene& scene, const Box& box) {
  if (scene.output.speed_max > 0.0)
    return static_cast<float>(scene.output.speed_max);
  double speed = std::sqrt(2.0 * length(scene.domain.gravity) * (box.max.z - box.min.z));
  each_group(scene, [&](const GrainGroup& group) {
    speed = std::max(speed, length(group.velocity) + std::sqrt(3.0) * group.velocity_random);
  });
  for (const Emitter& emitter : scene.emitters)
    speed = std::max(speed, length(emitter.velocity));
  return speed > 0.0 ? static_cast<float>(speed) : 1.0f;
}

// width: of the picture, pixels.
DrawFrame frame_of(const Scene& scene, const View& view, int width) {
  const Box box = content(scene);
  const glm::vec3 size = box.max - box.min;
  const float edge = std::max({size.x, size.y, size.z});
  const Domain& domain = scene.domain;

  DrawFrame frame{};
  frame.eye = view.eye;
  frame.forward = view.forward;
  frame.right = view.right;
  frame.up = view.up;
  frame.middle = 0.5f * (box.min + box.max);
  frame.nearest = 1e-3f * std::max(distance(view.eye, frame.middle), edge);

  // From the left and a little from this side.
  const glm::vec3 right = normalize(view.right), back = cross(right, glm::vec3(0, 0, 1));
  frame.light = normalize(-0.72f * right + 0.12f * back + glm::vec3(0, 0, 0.70f));
  frame.light_x = normalize(cross(right, frame.light));
  frame.light_y = cross(frame.light, frame.light_x);

  frame.measured_min = box.min - edge;
  frame.measured_max = box.max + edge;
  for (int a = 0; a < 3; ++a)
    if (domain.axis[a] != Axis::open) {
      frame.measured_min[a] = std::min(frame.measured_min[a], static_cast<float>(domain.min[a]));
      frame.measured_max[a] = std::max(frame.measured_max[a], static_cast<float>(domain.max[a]));
    }
  frame.floor = static_cast<float>(domain.min.z);
  frame.ground = domain.axis[2] == Axis::wall;
  frame.grid = round_number(0.15f * edge);
  frame.reach = 4.0f * edge;
  frame.radius = std::max(largest_radius(scene), 0.01f * edge);
  frame.sample_edge = length(frame.right) / static_cast<float>(width);
  if (scene.upsampling)
    frame.fine_radius = static_cast<float>(scene.upsampling->radius_max);
  frame.alike = frame.fine_radius < 5.0f * frame.sample_edge * distance(frame.eye, frame.middle);
  frame.color_by = static_cast<uint>(scene.output.color_by);
  frame.speed_max = speed_scale(scene, box);
  frame.domain_min = domain.min;
  frame.domain_max = domain.max;
  for (int a = 0; a < 3; ++a)
    if (domain.axis[a] == Axis::periodic)
      frame.period[a] = static_cast<float>(domain.max[a] - domain.min[a]);
  const glm::vec3 level(-view.forward.x, -view.forward.y, 0.0f);
  frame.cut = length(level) > 1e-3f ? normalize(level) : -view.forward;
  return frame;
}

// The edges of the domain between two walls, and those of a periodic side, dashed. What is open has none.
std::vector<DrawLine> domain_lines(const Domain& domain) {
  const glm::vec3 low = domain.min, high = domain.max;
  const float dash = round_number(0.05f * std::max({high.x - low.x, high.y - low.y, high.z - low.z}));
  std::vector<DrawLine> lines;
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const auto either = [&](Axis kind) { return domain.axis[b] == kind || domain.axis[c] == kind; };
    if (!either(Axis::wall) && !either(Axis::periodic))
      continue;
    for (int side = 0; side < 4; ++side) {
      glm::vec3 from = low, to = high;
      from[b] = to[b] = side & 1 ? high[b] : low[b];
      from[c] = to[c] = side & 2 ? high[c] : low[c];
      if (either(Axis::periodic))
        lines.push_back({from, to, {0.10f, 0.28f, 0.50f, 0.75f}, draw_dashed, dash});
      else
        lines.push_back({from, to, {0.13f, 0.14f, 0.16f, 0.60f}, 0, dash});
    }
  }
  return lines;
}

}  // namespace

struct Renderer::Impl {
  std::unique_ptr<gpu::Instance> own_instance;
  std::unique_ptr<gpu::Device> own_device;
  gpu::Device& device;
  DrawFrame frame;
  uint level;  // of what is drawn where there are fine grains
  std::vector<DrawLine> lines;
  ClothDrawing cloth;
  BodyDrawing drawing;
  std::vector<Body> bodies_start;
  gpu::Buffer frame_buffer, extent, colors, line_buffer;
  gpu::Buffer body_looks, body_vertices, body_triangles, around;
  gpu::Buffer host_grains, host_tags, host_ids, host_bodies;  // for what comes from the host
  gpu::Buffer host_shapes;                                    // likewise
  gpu::Buffer host_fine, host_fine_tags;                      // likewise
  gpu::Image seen, depth;                                     // two samples per pixel and direction
  gpu::Image open, shadow, target;
  gpu::ComputePipeline measure;
  std::optional<gpu::ComputePipeline> cloth_place, cloth_normal;  // where there is cloth
  gpu::GraphicsPipeline draw_shadow, draw_grain, draw_open, draw_picture, draw_line;
  gpu::GraphicsPipeline draw_body, draw_body_shadow;
  gpu::Graph graph;

  static gpu::GraphicsPipeline pipeline(gpu::Device& device, const std::string& name, std::vector<VkFormat> colour,
                                        VkFormat depth = VK_FORMAT_UNDEFINED, bool blend = false,
                                        VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP) {
    gpu::GraphicsOptions options;
    options.topology = topology;
    options.colour_formats = std::move(colour);
    options.depth_format = depth;
    options.depth_compare = VK_COMPARE_OP_GREATER;  // nearer is greater, in both depth images
    options.depth_test = options.depth_write = depth != VK_FORMAT_UNDEFINED;
    options.blend = blend;
    return {device, name, draw_shaders::find_shader(name + ".vert"), draw_shaders::find_shader(name + ".frag"),
            options};
  }

  gpu::Device& open_device() {
    own_instance = std::make_unique<gpu::Instance>();
    std::vector<gpu::DeviceInfo> devices = gpu::list_devices(*own_instance);
    std::erase_if(devices, [](const gpu::DeviceInfo& info) { return info.usable && !info.graphics; });
    own_device = std::make_unique<gpu::Device>(*own_instance, choose(devices, "auto"));
    return *own_device;
  }

  Impl(const Scene& scene, int width, int height, gpu::Device* given)
      : device(given && given->graphics() ? *given : open_device()),
        frame(frame_of(scene, view_of(scene, static_cast<float>(width) / static_cast<float>(height)), width)),
        level(scene.upsampling ? static_cast<uint>(scene.output.level) : draw_coarse),
        lines(domain_lines(scene.domain)), cloth(cloth_drawing(scene)),
        drawing(body_drawing(scene, cloth, surface_tolerance(content(scene)))), bodies_start(bodies_at_start(scene)),
        frame_buffer(device, "draw_frame", sizeof(DrawFrame)), extent(device, "draw_extent", sizeof(DrawExtent)),
        colors(device, "draw_colors", sizeof(vec4) * std::max<std::size_t>(scene.materials.size(), 1)),
        line_buffer(device, "draw_lines", sizeof(DrawLine) * std::max<std::size_t>(lines.size(), 1)),
        seen(device, "draw_seen", {2u * width, 2u * height, VK_FORMAT_R32_UINT, false}),
        depth(device, "draw_depth", {2u * width, 2u * height, gpu::depth_format, false}),
        open(device, "draw_open", {uint(width), uint(height), VK_FORMAT_R32_UINT, false}),
        shadow(device, "draw_shadow", {draw_shadow_size, draw_shadow_size, gpu::depth_format, false}),
        target(device, "picture", {uint(width), uint(height), VK_FORMAT_R8G8B8A8_UNORM, false}),
        measure(device, "draw_measure", shaders::find_shader("draw_measure.comp")),
        draw_shadow(pipeline(device, "draw_shadow", {}, gpu::depth_format)),
        draw_grain(pipeline(device, "draw_grain", {seen.format()}, gpu::depth_format)),
        draw_open(pipeline(device, "draw_open", {open.format()})),
        draw_picture(pipeline(device, "draw_picture", {target.format()})),
        draw_line(pipeline(device, "draw_line", {target.format()}, VK_FORMAT_UNDEFINED, true)),
        draw_body(pipeline(device, "draw_body", {seen.format()}, gpu::depth_format, false,
                           VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST)),
        draw_body_shadow(
            pipeline(device, "draw_body_shadow", {}, gpu::depth_format, false, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST)),
        graph(device) {
    std::vector<vec4> palette;
    for (const Material& material : scene.materials)
      palette.push_back(vec4(material.color, 1.0f));
    graph.upload(colors, std::as_bytes(std::span(palette)));
    graph.upload(line_buffer, std::as_bytes(std::span(lines)));
    fill(body_looks, "draw_bodies", drawing.bodies);
    fill(body_vertices, "draw_vertices", drawing.vertices);
    fill(body_triangles, "draw_triangles", drawing.triangles);
    if (!cloth.vertices.empty()) {
      fill(around, "draw_around", cloth.around);
      cloth_place.emplace(device, "draw_cloth_place", shaders::find_shader("draw_cloth_place.comp"));
      cloth_normal.emplace(device, "draw_cloth_normal", shaders::find_shader("draw_cloth_normal.comp"));
    }
    graph.submit();  // so that the simulation's graph can record
  }

  template <class T> void fill(gpu::Buffer& buffer, const char* name, const std::vector<T>& data) {
    if (!buffer || buffer.bytes() < data.size() * sizeof(T))
      buffer = gpu::Buffer(device, name, std::max<std::size_t>(data.size(), 1) * sizeof(T));
    graph.upload(buffer, std::as_bytes(std::span(data)));
  }

  // Fine grains, where there are any, and which coarse ones have none of them.
  struct Fine {
    gpu::Buffer *grains = nullptr, *tags = nullptr;
    std::uint32_t count = 0;
    uvec2 without{0}, matched{0};
    gpu::Buffer* shapes = nullptr;
  };

  // cloth_first: null where no vertex of cloth is among the grains.
  Image draw(gpu::Buffer& grains, gpu::Buffer& tags, gpu::Buffer* ids, std::uint32_t coarse, gpu::Buffer* bodies,
             std::optional<std::uint32_t> cloth_first, const Fine& fine) {
    frame.level = fine.grains ? level : draw_coarse;
    const std::uint32_t fine_count = frame.level == draw_coarse ? 0 : fine.count, count = coarse + fine_count;
    frame.coarse = coarse;
    frame.without_fine = fine.without;
    frame.first_matched = static_cast<uint>(bodies_start.size() + cloth.looks.size());
    frame.matched = frame.level == draw_fine && drawing.shapes ? fine.matched : uvec2(0);
    if (!bodies || bodies_start.empty()) {
      fill(host_bodies, "bodies", bodies_start);
      bodies = &host_bodies;
    }
    frame.tinted = ids != nullptr;
    frame.cloth_first = cloth_first.value_or(0);
    frame.cloth = cloth_first && ids ? static_cast<uint>(cloth.vertices.size()) : 0;
    graph.upload(frame_buffer, std::as_bytes(std::span(&frame, 1)));
    graph.fill(extent, ~0u, 0, 16);  // the minima
    graph.fill(extent, 0u, 16, 16);  // the maxima

    const auto find = [&](std::string_view name) -> gpu::Buffer* {
      return name == "grains"           ? &grains
             : name == "grain_tag"      ? &tags
             : name == "grain_id"       ? (ids ? ids : &tags)
             : name == "draw_frame"     ? &frame_buffer
             : name == "draw_extent"    ? &extent
             : name == "draw_colors"    ? &colors
             : name == "draw_lines"     ? &line_buffer
             : name == "bodies"         ? bodies
             : name == "draw_bodies"    ? &body_looks
             : name == "draw_vertices"  ? &body_vertices
             : name == "draw_triangles" ? &body_triangles
             : name == "draw_around"    ? &around
             : name == "fine_grains"    ? (fine_count > 0 ? fine.grains : &grains)
             : name == "fine_tag"       ? (fine_count > 0 ? fine.tags : &tags)
             : name == "shape_motions"  ? (fine.shapes ? fine.shapes : &grains)
                                        : nullptr;
    };
    const auto images = [&](const gpu::Pipeline& pipeline) {
      std::vector<gpu::Image*> found;
      for (const gpu::ImageBinding& binding : pipeline.images())
        found.push_back(binding.name == "draw_seen"    ? &seen
                        : binding.name == "draw_depth" ? &depth
                        : binding.name == "draw_open"  ? &open
                                                       : &shadow);
      return found;
    };
    const auto add = [&](gpu::GraphicsPipeline& pipeline, const gpu::Push& push, std::uint32_t instances,
                         std::uint32_t vertices = 4) {
      if (instances > 0 && vertices > 0)
        graph.draw(pipeline, pipeline.resolve(find), images(pipeline), push,
                   {.vertices = vertices, .instances = instances});
    };
    const auto corners = static_cast<std::uint32_t>(3 * drawing.triangles.size());
    const auto compute = [&](gpu::ComputePipeline& pipeline, const auto& push, std::uint32_t elements) {
      if (elements > 0)
        graph.compute(pipeline, pipeline.resolve(find), push, gpu::Work::elements(elements));
    };
    if (const auto vertices = static_cast<std::uint32_t>(cloth.vertices.size()); vertices > 0) {
      if (frame.cloth > 0)
        compute(*cloth_place, std::array{coarse}, coarse);
      else
        graph.upload(body_vertices, std::as_bytes(std::span(cloth.vertices)));
      compute(*cloth_normal, std::array{vertices}, vertices);
    }
    struct Counts {
      std::uint32_t grains, bodies;
    };
    // The vertices of cloth, where they are among the grains, say best where it is.
    const Counts counts{count,
                        static_cast<std::uint32_t>(frame.cloth > 0 ? bodies_start.size() : drawing.bodies.size())};
    compute(measure, counts, counts.grains + counts.bodies);

    graph.begin_rendering({.colour = {}, .depth = {.image = &shadow, .value = 0.0f}}, draw_shadow.label());
    add(draw_shadow, {}, count);
    add(draw_body_shadow, {}, 1, corners);
    graph.end_rendering();

    graph.begin_rendering(
        {.colour = {{.image = &seen, .value = {0, 0, 0, 0}}}, .depth = {.image = &depth, .value = 0.0f}},
        draw_grain.label());
    add(draw_grain, {}, count);
    add(draw_body, {}, 1, corners);
    graph.end_rendering();

    graph.begin_rendering({.colour = {{.image = &open}}}, draw_open.label());
    add(draw_open, {}, 1);
    graph.end_rendering();

    graph.begin_rendering({.colour = {{.image = &target}}}, draw_picture.label());
    add(draw_picture, {}, 1);
    add(draw_line, vec2(target.width(), target.height()), static_cast<std::uint32_t>(lines.size()));
    graph.end_rendering();

    const std::vector<std::byte> bytes = graph.download(target);
    const auto* rgba = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return {static_cast<int>(target.width()), static_cast<int>(target.height()), {rgba, rgba + bytes.size()}};
  }

  Image draw(const std::vector<GrainState>& states) {
    std::vector<Grain> grains;
    std::vector<uint> tags, ids;
    for (const GrainState& g : states) {
      grains.push_back({vec4(g.position, g.radius), vec4(g.velocity, 1.0f)});
      tags.push_back(g.material | g.world << tag_world_shift);
      ids.push_back(g.id);
    }
    fill(host_grains, "grains", grains);
    fill(host_tags, "grain_tag", tags);
    fill(host_ids, "grain_id", ids);
    return draw(host_grains, host_tags, &host_ids, static_cast<std::uint32_t>(states.size()), nullptr, {}, {});
  }

  Image draw(Simulation& simulation) {
    gpu::Buffer* bodies = poses_now(simulation);
    const std::uint32_t places = simulation.grain_places(), cloth_first = simulation.cloth_first();
    const auto [first, end] = simulation.coarse_without_fine();
    Fine fine{nullptr, nullptr, simulation.fine_places(), {first, end}, {first, cloth_first}, nullptr};
    if (simulation.gpu_device() == &device) {
      fine.grains = simulation.fine_buffer();
      fine.tags = simulation.fine_tag_buffer();
      fine.shapes = simulation.shape_buffer();
      return draw(*simulation.grain_buffer(), *simulation.tag_buffer(), simulation.id_buffer(), places, bodies,
                  cloth_first, fine);
    }
    Executor& executor = simulation.executor();
    fill(host_grains, "grains", read_field<Grain>(executor, FieldId::grains, places));
    fill(host_tags, "grain_tag", read_field<uint>(executor, FieldId::grain_tag, places));
    fill(host_ids, "grain_id", read_field<uint>(executor, FieldId::grain_id, places));
    fill(host_fine, "fine_grains", read_field<Grain>(executor, FieldId::fine_grains, fine.count));
    fill(host_fine_tags, "fine_tag", read_field<uint>(executor, FieldId::fine_tag, fine.count));
    fine.grains = &host_fine;
    fine.tags = &host_fine_tags;
    fill(host_shapes, "shape_motions",
         read_field<ShapeMotion>(executor, FieldId::shape_motions, simulation.scene().shapes.size()));
    fine.shapes = &host_shapes;
    return draw(host_grains, host_tags, &host_ids, places, bodies, cloth_first, fine);
  }

  // Where the bodies of a simulation stand now.
  gpu::Buffer* poses_now(Simulation& simulation) {
    gpu::Buffer* there = simulation.body_buffer();
    if (simulation.gpu_device() == &device)
      return there;
    fill(host_bodies, "bodies", read_field<Body>(simulation.executor(), FieldId::bodies, bodies_start.size()));
    return &host_bodies;
  }
};

Renderer::Renderer(const Scene& scene, int width, int height, gpu::Device* device)
    : impl_(translated([&] { return std::make_unique<Impl>(scene, width, height, device); })) {}
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer::~Renderer() = default;

Image Renderer::draw(Simulation& simulation) {
  return translated([&] { return impl_->draw(simulation); });
}

Image Renderer::draw(gpu::Buffer& grains, gpu::Buffer& tags, gpu::Buffer* ids, std::uint32_t count, gpu::Buffer* bodies,
                     std::optional<std::uint32_t> cloth_first) {
  return translated([&] { return impl_->draw(grains, tags, ids, count, bodies, cloth_first, {}); });
}

Image Renderer::draw(const std::vector<GrainState>& grains) {
  return translated([&] { return impl_->draw(grains); });
}

gpu::Device& Renderer::device() const {
  return impl_->device;
}

std::vector<PassTime> Renderer::pass_times() const {
  std::vector<PassTime> times;
  for (const gpu::PassTime& time : impl_->graph.times())
    times.push_back({time.name, time.calls, time.ms});
  return times;
}

}  // namespace talus
