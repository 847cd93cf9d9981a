#include "viewer/renderer.h"
#include "engine/core/executor.h"
#include "engine/core/setup.h"
#include "engine/executors/translated.h"
#include "engine/gpu/graph.h"
#include "engine/gpu/open.h"
#include "viewer/renderer_bodies.h"
#include "viewer/renderer_frame.h"
#include "viewer/renderer_light.h"
#include "viewer/renderer_slice.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <fmt/format.h>

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

// How far triangles may lie inside of what is round: too little to see.
double surface_tolerance(const Box& box) {
  const glm::vec3 size = box.max - box.min;
  return 1e-4 * std::max({size.x, size.y, size.z});
}

constexpr VkFormat picture_format = VK_FORMAT_R8G8B8A8_UNORM;     // sRGB, encoded by the shader
constexpr VkFormat light_format = VK_FORMAT_R16G16B16A16_SFLOAT;  // every device can blend it
constexpr VkFormat open_format = VK_FORMAT_R32G32B32A32_UINT;

// DrawExtent's order of floats, back.
float unordered(uint x) {
  return std::bit_cast<float>((x >> 31) != 0 ? x & 0x7FFFFFFFu : ~x);
}

}  // namespace

struct Renderer::Impl {
  std::unique_ptr<gpu::Instance> own_instance;
  std::unique_ptr<gpu::Device> own_device;
  gpu::Device& device;

  // Of the scene.
  Scene scene;
  Box box{};
  DrawFrame frame{};
  DrawLight day{};
  Look look;
  std::optional<Slice> sliced;  // that draw_distances are of
  std::vector<DrawLine> lines;
  ClothDrawing cloth;
  BodyDrawing drawing;
  std::vector<Body> bodies_start;
  gpu::Buffer line_buffer, body_looks, body_vertices, body_triangles, around, distances;

  // Of the state that comes from the host.
  gpu::Buffer host_grains, host_tags, host_ids, host_bodies, host_shapes, host_fine, host_fine_tags, host_measures,
      host_lines, host_spins, host_activity;

  gpu::Buffer frame_buffer, light_buffer, extent;
  gpu::Buffer list, counts, commands;  // of the grains that are drawn (draw_cull.glsl)
  gpu::Buffer drawn_grains;            // DrawnGrain, by place, where the picture needs them
  // Quaternions, by number of the grain: 16 bytes a grain that lie still while grains are sorted, and that only a run
  // that is drawn has. A field that follows grains would be sorted and saved with them in every run.
  gpu::Buffer orientations;
  struct Turned {  // how far the orientations have come
    double time;   // s
    std::uint32_t world;
  };
  std::optional<Turned> turned;  // unset: they start anew
  // What the last pictures measured, as many as may be under way, and the one to come.
  struct Measured {
    gpu::Buffer extent, commands;
    uint color_by = draw_by_material;
    std::optional<gpu::Ticket> ticket;  // unset: not submitted yet
  };
  std::array<Measured, 4> measured;
  std::size_t last_measured = 0;
  gpu::Image shadow;
  gpu::Image seen, depth;  // two samples per pixel and direction
  gpu::Image open, radiance, target;
  gpu::ComputePipeline measure, cull_count, cull_scan, cull_fill;
  std::optional<gpu::ComputePipeline> cloth_index, cloth_normal;  // where there is cloth
  std::optional<gpu::ComputePipeline> turn;                       // where grains rotate
  gpu::GraphicsPipeline draw_shadow, draw_grain, draw_point, draw_contact, draw_slice, draw_open, draw_picture,
      draw_draft, draw_develop, draw_line;
  gpu::GraphicsPipeline draw_body, draw_body_shadow;
  gpu::Graph graph;

  struct Counts {
    std::uint32_t grains, bodies = 0;
  };

  // Buffers of a state, its own or the simulation's.
  struct Source {
    gpu::Buffer *grains = nullptr, *tags = nullptr, *ids = nullptr;
    std::uint32_t count = 0;
    gpu::Buffer* bodies = nullptr;             // null: where they start
    std::optional<std::uint32_t> cloth_first;  // unset: no vertex of cloth is among the grains
    // Fine grains, where there are any, and which coarse ones have none of them.
    gpu::Buffer *fine_grains = nullptr, *fine_tags = nullptr;
    std::uint32_t fine = 0;
    uvec2 without_fine{0}, matched{0};
    gpu::Buffer* shapes = nullptr;
    gpu::Buffer* spins = nullptr;     // null: grains do not rotate
    gpu::Buffer* activity = nullptr;  // null: they do not sleep
    std::optional<Turned> now;        // of a simulation
    std::uint32_t ids_end = 0;        // numbers of its grains are below it
    // What grains feel; null: not evaluated.
    gpu::Buffer *measures = nullptr, *lines = nullptr;
    std::uint32_t line_places = 0;
  } source;

  static gpu::GraphicsOptions options(std::vector<VkFormat> colour, VkFormat depth, bool blend,
                                      VkPrimitiveTopology topology) {
    gpu::GraphicsOptions options;
    options.topology = topology;
    options.colour_formats = std::move(colour);
    options.depth_format = depth;
    options.depth_compare = VK_COMPARE_OP_GREATER;  // nearer is greater, in both depth images
    options.depth_test = options.depth_write = depth != VK_FORMAT_UNDEFINED;
    options.blend = blend;
    return options;
  }
  static gpu::GraphicsPipeline pipeline(gpu::Device& device, const std::string& name, std::vector<VkFormat> colour,
                                        VkFormat depth = VK_FORMAT_UNDEFINED, bool blend = false,
                                        VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP) {
    return {device, name, draw_shaders::find_shader(name + ".vert"), draw_shaders::find_shader(name + ".frag"),
            options(std::move(colour), depth, blend, topology)};
  }

  gpu::Device& open_device() {
    own_instance = std::make_unique<gpu::Instance>();
    std::vector<gpu::DeviceInfo> devices = gpu::list_devices(*own_instance);
    std::erase_if(devices, [](const gpu::DeviceInfo& info) { return info.usable && !info.graphics; });
    std::vector<std::string> passed_over;
    own_device = std::make_unique<gpu::Device>(gpu::open_chosen(
        *own_instance, std::move(devices), [](const auto& list) { return gpu::choose(list, "auto"); }, {},
        passed_over));
    for (const std::string& note : passed_over)
      fmt::print(stderr, "note: {}\n", note);
    return *own_device;
  }

  Impl(const Scene& scene_in, int width, int height, gpu::Device* given)
      : device(given && given->graphics() ? *given : open_device()),
        frame_buffer(device, "draw_frame", sizeof(DrawFrame)), extent(device, "draw_extent", sizeof(DrawExtent)),
        commands(device, "draw_commands", 3 * sizeof(DrawCommand)),
        measure(device, "draw_measure", shaders::find_shader("draw_measure.comp")),
        cull_count(device, "draw_cull_count", shaders::find_shader("draw_cull_count.comp")),
        cull_scan(device, "draw_cull_scan", shaders::find_shader("draw_cull_scan.comp")),
        cull_fill(device, "draw_cull_fill", shaders::find_shader("draw_cull_fill.comp")),
        draw_shadow(pipeline(device, "draw_shadow", {}, gpu::depth_format)),
        draw_grain(pipeline(device, "draw_grain", {VK_FORMAT_R32_UINT}, gpu::depth_format)),
        draw_point(device, "draw_point", draw_shaders::find_shader("draw_point.vert"),
                   draw_shaders::find_shader("draw_grain.frag"),
                   options({VK_FORMAT_R32_UINT}, gpu::depth_format, false, VK_PRIMITIVE_TOPOLOGY_POINT_LIST)),
        draw_contact(pipeline(device, "draw_contact", {VK_FORMAT_R32_UINT}, gpu::depth_format)),
        draw_slice(pipeline(device, "draw_slice", {VK_FORMAT_R32_UINT}, gpu::depth_format)),
        draw_open(pipeline(device, "draw_open", {open_format})),
        draw_picture(pipeline(device, "draw_picture", {light_format}, VK_FORMAT_UNDEFINED, true)),
        draw_draft(device, "draw_draft", draw_shaders::find_shader("draw_picture.vert"),
                   draw_shaders::find_shader("draw_draft.frag"),
                   options({light_format}, VK_FORMAT_UNDEFINED, true, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP)),
        draw_develop(pipeline(device, "draw_develop", {picture_format})),
        draw_line(pipeline(device, "draw_line", {picture_format}, VK_FORMAT_UNDEFINED, true)),
        draw_body(pipeline(device, "draw_body", {VK_FORMAT_R32_UINT}, gpu::depth_format, false,
                           VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST)),
        draw_body_shadow(
            pipeline(device, "draw_body_shadow", {}, gpu::depth_format, false, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST)),
        graph(device) {
    for (Measured& one : measured) {
      one.extent = gpu::Buffer(device, "draw_extent", sizeof(DrawExtent), gpu::Buffer::Kind::readback);
      one.commands = gpu::Buffer(device, "draw_commands", commands.bytes(), gpu::Buffer::Kind::readback);
    }
    resize(width, height);
    show(scene_in);
  }

  void resize(int width, int height) {
    const auto w = static_cast<std::uint32_t>(width), h = static_cast<std::uint32_t>(height);
    // As fine as the picture: 640 pixels have 2048 texels. With as many for 320 pixels, pictures of 7000 grains
    // took 1.15 times as long on lavapipe, and those of the tests, of few grains, up to 8 times.
    const auto texels =
        std::min(std::bit_ceil(static_cast<std::uint32_t>(3.2f * static_cast<float>(std::max(width, height)))),
                 draw_shadow_most);
    shadow = {device, "draw_shadow", {texels, texels, gpu::depth_format, false}};
    seen = {device, "draw_seen", {2 * w, 2 * h, VK_FORMAT_R32_UINT, false}};
    depth = {device, "draw_depth", {2 * w, 2 * h, gpu::depth_format, false}};
    open = {device, "draw_open", {w, h, open_format, false}};
    radiance = {device, "draw_radiance", {w, h, light_format, false}};
    target = {device, "picture", {w, h, picture_format, true}};
  }

  void show(const Scene& shown) {
    scene = shown;
    box = content(scene);
    frame = frame_of(scene, box);
    aim(frame, box, view_of(scene, static_cast<float>(target.width()) / static_cast<float>(target.height())),
        static_cast<int>(target.width()));
    look = scene.output;
    sliced.reset();
    lines = domain_lines(scene.domain);
    cloth = cloth_drawing(scene);
    bodies_start = bodies_at_start(scene);
    day = sun_and_sky(frame.light);
    if (const auto bytes = sizeof(DrawLight) + std::max<std::size_t>(scene.materials.size(), 1) * sizeof(DrawMaterial);
        !light_buffer || light_buffer.bytes() < bytes)
      light_buffer = gpu::Buffer(device, "draw_light", bytes);
    fill(line_buffer, "draw_lines", lines);
    draw_bodies();
    fill(around, "draw_around", cloth.around);
    if (!cloth.vertices.empty() && !cloth_index) {
      cloth_index.emplace(device, "draw_cloth_place", shaders::find_shader("draw_cloth_place.comp"));
      cloth_normal.emplace(device, "draw_cloth_normal", shaders::find_shader("draw_cloth_normal.comp"));
    }
    if (scene.solver.rotation && !turn)
      turn.emplace(device, "draw_turn", shaders::find_shader("draw_turn.comp"));
    turned.reset();
    source = {};
    graph.submit();  // so that the simulation's graph can record
  }

  void draw_bodies() {
    drawing = body_drawing(scene, cloth, surface_tolerance(box));
    fill(body_looks, "draw_bodies", drawing.bodies);
    fill(body_vertices, "draw_vertices", drawing.vertices);
    fill(body_triangles, "draw_triangles", drawing.triangles);
  }

  // None: the picture is of bodies that have other triangles now.
  uint body_of_triangle(uint triangle) const {
    return triangle < drawing.triangles.size() ? drawing.triangles[triangle].body : no_body;
  }

  // Bodies that have other parts now (Simulation::change).
  void take_parts(const Scene& now) {
    if (std::ranges::equal(scene.bodies, now.bodies, {}, &BodySpec::parts, &BodySpec::parts))
      return;
    scene.bodies = now.bodies;
    sliced.reset();
    draw_bodies();
    graph.submit();  // so that the simulation's graph can record
  }

  template <class T> void fill(gpu::Buffer& buffer, const char* name, const std::vector<T>& data) {
    if (!buffer || buffer.bytes() < data.size() * sizeof(T))
      buffer = gpu::Buffer(device, name, std::max<std::size_t>(data.size(), 1) * sizeof(T));
    graph.upload(buffer, std::as_bytes(std::span(data)));
  }

  // The ground's own grains are drawn beside the others as fine ones are.
  void take_ground(const std::vector<GrainState>& surface) {
    std::vector<Grain> grains;
    std::vector<uint> tags;
    for (const GrainState& g : surface) {
      grains.push_back({vec4(g.position, g.radius), vec4(0.0f)});
      tags.push_back(g.material | g.id << fine_tag_shift);
    }
    fill(host_fine, "fine_grains", grains);
    fill(host_fine_tags, "fine_tag", tags);
    source.fine = static_cast<std::uint32_t>(surface.size());
    source.fine_grains = &host_fine;
    source.fine_tags = &host_fine_tags;
  }

  // The state of a world of a simulation; the buffers of the first one where it runs on this device, else a copy.
  void take(Simulation& simulation, bool contacts_evaluated, std::uint32_t world) {
    settle_measured();
    take_parts(simulation.scene());
    const std::uint32_t cloth_first = simulation.cloth_first();
    const auto [first, end] = simulation.coarse_without_fine();
    source = {};
    source.count = simulation.grain_places() / simulation.worlds();
    source.cloth_first = cloth_first;
    source.fine = simulation.fine_places();
    source.without_fine = {first, end};
    source.matched = {first, cloth_first};
    if (simulation.scene().soil)
      take_ground(simulation.soil_surface(world));
    source.bodies = simulation.body_buffer();
    source.now = {simulation.time(world), world};
    source.ids_end = simulation.ids_end();
    if (simulation.gpu_device() == &device && world == 0) {
      source.grains = simulation.grain_buffer();
      source.tags = simulation.tag_buffer();
      source.ids = simulation.id_buffer();
      if (!simulation.scene().soil) {
        source.fine_grains = simulation.fine_buffer();
        source.fine_tags = simulation.fine_tag_buffer();
      }
      source.shapes = simulation.shape_buffer();
      source.spins = simulation.spin_buffer();
      source.activity = simulation.activity_buffer();
      if (contacts_evaluated) {
        source.measures = simulation.measure_buffer();
        source.lines = simulation.line_buffer();
        source.line_places = simulation.line_places() / simulation.worlds();
      }
      return;
    }
    const auto read = [&]<class T>(FieldId field, std::size_t count, T) {
      std::vector<T> data(count);
      simulation.executor().read(field, std::as_writable_bytes(std::span(data)), world * count * sizeof(T));
      return data;
    };
    const auto copy = [&]<class T>(gpu::Buffer& buffer, FieldId field, std::size_t count, T) {
      fill(buffer, field_infos[static_cast<std::size_t>(field)].name.data(), read(field, count, T{}));
      return &buffer;
    };
    source.grains = copy(host_grains, FieldId::grains, source.count, Grain{});
    source.tags = copy(host_tags, FieldId::grain_tag, source.count, uint{});
    source.ids = copy(host_ids, FieldId::grain_id, source.count, uint{});
    source.bodies = copy(host_bodies, FieldId::bodies, bodies_start.size(), Body{});
    if (!simulation.scene().soil) {
      source.fine_grains = copy(host_fine, FieldId::fine_grains, source.fine, Grain{});
      source.fine_tags = copy(host_fine_tags, FieldId::fine_tag, source.fine, uint{});
    }
    source.shapes = copy(host_shapes, FieldId::shape_motions, simulation.scene().shapes.size(), ShapeMotion{});
    if (simulation.scene().solver.rotation)
      source.spins = copy(host_spins, FieldId::grain_spin, source.count, vec4{});
    if (simulation.executor().size(FieldId::slice_activity) > 0)
      source.activity = copy(host_activity, FieldId::slice_activity, (source.count + slice_grains - 1) / slice_grains,
                             SliceActivity{});
    if (!contacts_evaluated)
      return;
    source.measures = copy(host_measures, FieldId::measures, source.count, GrainMeasure{});
    auto lines = read(FieldId::contact_lines, simulation.line_places() / simulation.worlds(), ContactLine{});
    std::erase_if(lines, [](const ContactLine& line) { return !(line.force > 0.0f); });
    fill(host_lines, "contact_lines", lines);
    source.lines = &host_lines;
    source.line_places = static_cast<std::uint32_t>(lines.size());
  }

  void take(const std::vector<GrainState>& states) {
    std::vector<Grain> grains;
    std::vector<uint> tags, ids;
    std::vector<vec4> spins;
    for (const GrainState& g : states) {
      grains.push_back({vec4(g.position, g.radius), vec4(g.velocity, 1.0f)});
      tags.push_back(g.material | g.world << draw_world_shift);
      ids.push_back(g.id);
      spins.push_back(vec4(g.radius * g.spin, 0.0f));
    }
    fill(host_grains, "grains", grains);
    fill(host_tags, "grain_tag", tags);
    fill(host_ids, "grain_id", ids);
    fill(host_spins, "grain_spin", spins);
    source = {};
    source.grains = &host_grains;
    source.tags = &host_tags;
    source.ids = &host_ids;
    source.spins = &host_spins;
    source.count = static_cast<std::uint32_t>(states.size());
  }

  // The slice where it is to be, found anew where it is another one.
  void cut_slice() {
    if (!look.slice || look.slice->body >= scene.bodies.size())
      sliced.reset(), frame.slice_nodes = 0;
    else if (sliced != look.slice) {
      fill(distances, "draw_distances", cut(frame, scene, *look.slice, length(box.max - box.min)));
      sliced = look.slice;
    }
  }

  void make_room_for_lists(std::uint32_t grains) {
    const std::uint64_t words = std::max(grains, 1u), groups = (words + group_size - 1) / group_size;
    if (list && list.bytes() >= 2 * words * sizeof(uint))
      return;
    list = gpu::Buffer(device, "draw_list", 2 * words * sizeof(uint));
    counts = gpu::Buffer(device, "draw_counts", 3 * groups * sizeof(uint));
  }

  void make_room_for_drawn(std::uint32_t grains) {
    if (const std::uint64_t bytes = std::max(grains, 1u) * sizeof(DrawnGrain);
        !drawn_grains || drawn_grains.bytes() < bytes)
      drawn_grains = gpu::Buffer(device, "drawn_grains", bytes);
  }

  // The time [s] by which orientations are to be turned on. They start anew where a simulation has gone back, as one
  // that was started again has, and where another world is drawn.
  float time_to_turn() {
    const std::uint64_t bytes = std::max(source.ids_end, 1u) * sizeof(vec4);
    const bool room = orientations && orientations.bytes() >= bytes;
    const bool goes_on = room && turned && turned->world == source.now->world && turned->time <= source.now->time;
    const double time = goes_on ? source.now->time - turned->time : 0.0;
    if (!room)
      orientations = gpu::Buffer(device, "orientations", bytes);
    if (!goes_on)
      graph.fill(orientations);
    turned = source.now;
    return static_cast<float>(time);
  }

  // What of the state is drawn, into the frame.
  void choose(const Look& shown) {
    const std::uint32_t coarse = source.count;
    frame.level = source.fine_grains && scene.soil                                   ? draw_both
                  : source.fine_grains && scene.upsampling && !shows_contacts(shown) ? static_cast<uint>(shown.level)
                                                                                     : draw_coarse;
    frame.coarse = coarse;
    frame.drawn = coarse + (frame.level == draw_coarse ? 0 : source.fine);
    frame.samples = vec2(seen.width(), seen.height());
    frame.shadow_texels = static_cast<float>(shadow.width());
    make_room_for_lists(frame.drawn);
    frame.spins = source.spins != nullptr;
    frame.sleeps = source.activity != nullptr;
    frame.fine_rest = scene.soil.has_value();
    frame.marked = turn && source.spins && source.now && shown.marks;
    make_room_for_drawn(has_scale(frame.color_by) || frame.marked ? frame.drawn : 0);
    frame.without_fine = source.without_fine;
    frame.first_matched = static_cast<uint>(bodies_start.size() + cloth.looks.size());
    frame.matched = frame.level == draw_fine && drawing.shapes ? source.matched : uvec2(0);
    if (!source.bodies || bodies_start.empty()) {
      fill(host_bodies, "bodies", bodies_start);
      source.bodies = &host_bodies;
    }
    frame.tinted = source.ids != nullptr;
    frame.cloth_first = source.cloth_first.value_or(0);
    frame.cloth = source.cloth_first && source.ids ? static_cast<uint>(cloth.vertices.size()) : 0;
  }

  gpu::Buffer* find(std::string_view name) {
    const bool fine = frame.drawn > frame.coarse;
    return name == "grains"           ? source.grains
           : name == "grain_tag"      ? source.tags
           : name == "grain_id"       ? (source.ids ? source.ids : source.tags)
           : name == "draw_frame"     ? &frame_buffer
           : name == "draw_light"     ? &light_buffer
           : name == "draw_extent"    ? &extent
           : name == "draw_lines"     ? &line_buffer
           : name == "bodies"         ? source.bodies
           : name == "draw_bodies"    ? &body_looks
           : name == "draw_vertices"  ? &body_vertices
           : name == "draw_triangles" ? &body_triangles
           : name == "draw_around"    ? &around
           : name == "fine_grains"    ? (fine ? source.fine_grains : source.grains)
           : name == "fine_tag"       ? (fine ? source.fine_tags : source.tags)
           : name == "shape_motions"  ? (source.shapes ? source.shapes : source.grains)
           : name == "draw_list"      ? &list
           : name == "draw_counts"    ? &counts
           : name == "draw_commands"  ? &commands
           : name == "draw_distances" ? (sliced ? &distances : &frame_buffer)
           : name == "contact_lines"  ? (source.lines ? source.lines : source.grains)
           : name == "grain_spin"     ? (source.spins ? source.spins : source.grains)
           : name == "slice_activity" ? (source.activity ? source.activity : source.grains)
           : name == "drawn_grains"   ? &drawn_grains
           : name == "orientations"   ? &orientations
           : name == "measures"       ? (source.measures ? source.measures : source.grains)
                                      : nullptr;
  }
  std::vector<gpu::Image*> images(const gpu::Pipeline& pipeline) {
    std::vector<gpu::Image*> found;
    for (const gpu::ImageBinding& binding : pipeline.images())
      found.push_back(binding.name == "draw_seen"       ? &seen
                      : binding.name == "draw_depth"    ? &depth
                      : binding.name == "draw_open"     ? &open
                      : binding.name == "draw_radiance" ? &radiance
                                                        : &shadow);
    return found;
  }
  std::vector<gpu::Buffer*> buffers(const gpu::Pipeline& pipeline) {
    return pipeline.resolve([&](std::string_view name) { return find(name); });
  }
  void add(gpu::GraphicsPipeline& pipeline, const gpu::Push& push, std::uint32_t instances,
           std::uint32_t vertices = 4) {
    if (instances > 0 && vertices > 0)
      graph.draw(pipeline, buffers(pipeline), images(pipeline), push, {.vertices = vertices, .instances = instances});
  }
  void add_listed(gpu::GraphicsPipeline& pipeline, std::uint32_t which) {
    if (frame.drawn > 0)
      graph.draw(pipeline, buffers(pipeline), images(pipeline), gpu::Push(),
                 {.indirect = &commands, .indirect_offset = which * sizeof(DrawCommand)});
  }
  void compute(gpu::ComputePipeline& pipeline, const gpu::Push& push, std::uint32_t elements) {
    if (elements > 0)
      graph.compute(pipeline, buffers(pipeline), push, gpu::Work::elements(elements));
  }

  // The light of one picture, into the mean of those before it. part: `frame`, seen a little otherwise.
  void record_light(const DrawFrame& part, const DrawLight& light, bool first) {
    graph.upload(frame_buffer, std::as_bytes(std::span(&part, 1)));
    graph.upload(light_buffer, std::as_bytes(std::span(&light, 1)));
    graph.fill(extent, ~0u, 0, 16);  // the minima
    graph.fill(extent, 0u, 16);      // the maxima

    const auto corners = static_cast<std::uint32_t>(3 * drawing.triangles.size());
    if (const auto vertices = static_cast<std::uint32_t>(cloth.vertices.size()); vertices > 0) {
      if (frame.cloth > 0)
        compute(*cloth_index, Counts{frame.coarse}, frame.coarse);
      else
        graph.upload(body_vertices, std::as_bytes(std::span(cloth.vertices)));
      compute(*cloth_normal, Counts{vertices}, vertices);
    }
    // The vertices of cloth, where they are among the grains, say best where it is.
    const Counts counts{frame.drawn,
                        static_cast<std::uint32_t>(frame.cloth > 0 ? bodies_start.size() : drawing.bodies.size())};
    compute(measure, counts, counts.grains + counts.bodies);
    compute(cull_count, gpu::Push(), frame.drawn);
    compute(cull_scan, gpu::Push(), group_size);
    compute(cull_fill, gpu::Push(), frame.drawn);

    graph.begin_rendering({.colour = {}, .depth = {.image = &shadow, .value = 0.0f}}, draw_shadow.label());
    add_listed(draw_shadow, 2);
    add(draw_body_shadow, {}, 1, corners);
    graph.end_rendering();

    graph.begin_rendering(
        {.colour = {{.image = &seen, .value = {0, 0, 0, 0}}}, .depth = {.image = &depth, .value = 0.0f}},
        draw_grain.label());
    add_listed(draw_grain, 0);
    add_listed(draw_point, 1);
    add(draw_body, {}, 1, corners);
    if (frame.lines != draw_no_lines)
      add(draw_contact, {}, source.line_places);
    if (sliced)
      add(draw_slice, {}, 1);
    graph.end_rendering();

    graph.begin_rendering({.colour = {{.image = &open}}}, draw_open.label());
    add(draw_open, {}, 1);
    graph.end_rendering();

    graph.begin_rendering({.colour = {{.image = &radiance, .clear = first}}}, draw_picture.label());
    add(light.quality == shared::draw_draft ? draw_draft : draw_picture, {}, 1);
    graph.end_rendering();
  }

  // The ranges that the picture has measured are read once it is done.
  void keep_measured() {
    last_measured = (last_measured + 1) % measured.size();
    measured[last_measured].color_by = frame.color_by;
    measured[last_measured].ticket.reset();
    graph.copy(extent, measured[last_measured].extent);
    graph.copy(commands, measured[last_measured].commands);
  }

  // The picture of what was taken.
  void record() {
    if (!source.grains)
      take(std::vector<GrainState>{});
    settle_measured();
    Look shown = look;
    if (shows_contacts(shown) && !source.measures) {
      shown = Look();
      shown.quality = look.quality;
    }
    talus::show(frame, scene, box, shown);
    cut_slice();
    choose(shown);
    if (frame.marked) {
      struct {
        std::uint32_t grains, ids_end;
        float time;
      } const push{frame.coarse, source.ids_end, time_to_turn()};
      compute(*turn, push, frame.coarse);
    }
    DrawLight light = shown.even ? even_light() : day;
    light.quality = static_cast<uint>(shown.quality);
    if (const std::vector<DrawMaterial> materials = draw_materials(scene, shown); !materials.empty())
      graph.upload(light_buffer, std::as_bytes(std::span(materials)), sizeof(DrawLight));
    const bool film = shown.quality == Quality::film;
    for (std::uint32_t k = 0; k < (film ? film_pictures : 1); ++k) {
      DrawFrame part = frame;
      DrawLight lamp = light;
      if (film)
        take_part(part, lamp, scene, {target.width(), target.height()}, k);
      record_light(part, lamp, k == 0);
      if (film)
        graph.submit();  // a driver gives up what takes longer than some seconds
    }
    keep_measured();
    graph.begin_rendering({.colour = {{.image = &target}}}, draw_develop.label());
    add(draw_develop, {}, 1);
    if (!film)
      add(draw_line, vec2(target.width(), target.height()), static_cast<std::uint32_t>(lines.size()));
    graph.end_rendering();
  }

  void settle_measured() {
    if (!graph.recording() && !measured[last_measured].ticket)
      measured[last_measured].ticket = device.last_ticket();
  }

  // Of the last picture that is done.
  const Measured* known() {
    settle_measured();
    for (std::size_t back = 0; back < measured.size(); ++back) {
      const Measured& one = measured[(last_measured + measured.size() - back) % measured.size()];
      if (one.ticket && device.done(*one.ticket))
        return &one;
    }
    return nullptr;
  }

  std::optional<glm::vec2> color_range() {
    const Measured* one = known();
    if (!one || one->color_by != frame.color_by || !has_scale(one->color_by))
      return std::nullopt;
    if (frame.color_range.x < frame.color_range.y)
      return frame.color_range;
    const auto* extent = reinterpret_cast<const DrawExtent*>(one->extent.mapped().data());
    return automatic_range(one->color_by, unordered(extent->low), unordered(extent->high));
  }

  Drawn drawn() {
    const Measured* one = known();
    if (!one)
      return {};
    const auto* command = reinterpret_cast<const DrawCommand*>(one->commands.mapped().data());
    return {command[0].instances, command[1].vertices, command[2].instances};
  }

  std::optional<Picked> pick(glm::vec2 place) {
    const glm::uvec2 size(seen.width(), seen.height());
    const glm::uvec2 at = min(glm::uvec2(clamp(place, 0.0f, 1.0f) * glm::vec2(size)), size - 1u);
    const auto value_at = [&]<class T>(gpu::Image& image, T) {
      const std::vector<std::byte> bytes = graph.download(image);
      return reinterpret_cast<const T*>(bytes.data())[std::size_t{at.y} * size.x + at.x];
    };
    const uint thing = value_at(seen, uint{});
    const float nearness = value_at(depth, float{});
    if (thing == 0 || nearness <= 0.0f)
      return std::nullopt;
    Picked picked{frame.eye +
                      frame.nearest / nearness *
                          (frame.forward + (2.0f * place.x - 1.0f) * frame.right - (2.0f * place.y - 1.0f) * frame.up),
                  {}};
    if ((thing & draw_slice_bits) == draw_body_bit)
      if (const uint body = body_of_triangle(thing & ~draw_body_bit); body < bodies_start.size())
        picked.body = body;
    return picked;
  }

  Image read() {
    const std::vector<std::byte> bytes = graph.download(target);
    const auto* rgba = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return {static_cast<int>(target.width()), static_cast<int>(target.height()), {rgba, rgba + bytes.size()}};
  }
};

Renderer::Renderer(const Scene& scene, int width, int height, gpu::Device* device)
    : impl_(translated([&] { return std::make_unique<Impl>(scene, width, height, device); })) {}
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer::~Renderer() = default;

Image Renderer::draw(Simulation& simulation, std::uint32_t world) {
  return translated([&] {
    const bool contacts_evaluated = shows_contacts(impl_->look);
    if (contacts_evaluated)
      simulation.evaluate_contacts();
    impl_->take(simulation, contacts_evaluated, world);
    impl_->record();
    return impl_->read();
  });
}

Image Renderer::draw(gpu::Buffer& grains, gpu::Buffer& tags, gpu::Buffer* ids, std::uint32_t count, gpu::Buffer* bodies,
                     std::optional<std::uint32_t> cloth_first) {
  return translated([&] {
    impl_->source = {
        .grains = &grains, .tags = &tags, .ids = ids, .count = count, .bodies = bodies, .cloth_first = cloth_first};
    impl_->record();
    return impl_->read();
  });
}

Image Renderer::draw(const std::vector<GrainState>& grains) {
  return translated([&] {
    impl_->take(grains);
    impl_->record();
    return impl_->read();
  });
}

void Renderer::show(const Scene& scene) {
  translated([&] { impl_->show(scene); });
}

void Renderer::resize(int width, int height) {
  translated([&] { impl_->resize(width, height); });
}

void Renderer::look(const View& view) {
  aim(impl_->frame, impl_->box, view, static_cast<int>(impl_->target.width()));
}

void Renderer::show_as(const Look& look) {
  impl_->look = look;
}

const Box& Renderer::bounds() const {
  return impl_->box;
}

void Renderer::take(Simulation& simulation, bool contacts_evaluated) {
  translated([&] { impl_->take(simulation, contacts_evaluated, 0); });
}

gpu::Image& Renderer::record() {
  translated([&] { impl_->record(); });
  return impl_->target;
}

Image Renderer::read() {
  return translated([&] { return impl_->read(); });
}

std::optional<glm::vec2> Renderer::color_range() {
  return translated([&] { return impl_->color_range(); });
}

std::optional<Renderer::Picked> Renderer::pick(glm::vec2 place) {
  return translated([&] { return impl_->pick(place); });
}

Renderer::Drawn Renderer::drawn() {
  return translated([&] { return impl_->drawn(); });
}

gpu::Graph& Renderer::graph() {
  return impl_->graph;
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
