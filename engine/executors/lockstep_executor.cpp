#include "engine/core/executor.h"
#include "engine/executors/bound_fields.h"
#include "shaders/shared/fine.h"
#include "shaders/shared/grid.h"
#include "shaders/shared/row.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace talus {
namespace {

using Bytes = std::vector<std::byte>;

std::uint32_t word_at(const Bytes& bytes, std::size_t offset) {
  TALUS_ASSERT(offset + sizeof(std::uint32_t) <= bytes.size(), offset, bytes.size());
  std::uint32_t word;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

// Every pass runs on what is tested (a device, or the CPU path with its vectorised passes) and by its reference from
// the same input; what the pass writes is compared, and the tested result becomes the input of the next pass on both
// sides.
class LockstepExecutor final : public Executor {
public:
  LockstepExecutor(std::unique_ptr<Executor> tested, int threads)
      : tested_(std::move(tested)), exact_(!tested_->gpu_device()), cpu_(make_cpu_executor(threads, 1)) {}

  void run(Pass pass, Work work, const Args& args) override {
    if (work.elements == 0)
      return;
    h_ = static_cast<double>(args.h);
    const std::vector<BoundField>& written = written_by(pass, static_cast<FieldId>(args.followed.field));
    tested_->run(pass, work, args);
    // One submission for the pass and all that is read of it.
    for (const BoundField& bound : written)
      tested_->keep(bound.field, tested_->size(bound.field.id));
    tested_->finish();
    cpu_->run(pass, work, args);
    rounding_.reset();
    const auto result = [&](FieldCopy field) {
      const std::size_t elements = tested_->size(field.id);
      const auto bytes = elements > 0 ? tested_->kept(field) : std::span<const std::byte>();
      return bytes.first(elements * info(field.id).stride);
    };
    // Fields with the same bits need no putting in order and no taking over: of passes on the CPU path, nearly all.
    std::vector<const BoundField*> differing;
    for (const BoundField& bound : written)
      if (!same(result(bound.field), bound.field))
        differing.push_back(&bound);
    for (const BoundField* bound : differing) {
      const std::span bytes = result(bound->field);
      compare(pass, *bound, Bytes(bytes.begin(), bytes.end()), args);
    }
    for (const BoundField* bound : differing)
      cpu_->write(bound->field, result(bound->field), 0);
  }

  void specialize(const Features& features) override { tested_->specialize(features); }
  void swap(FieldId id) override {
    tested_->swap(id);
    cpu_->swap(id);
  }
  void copy(FieldCopy from, FieldCopy to) override {
    tested_->copy(from, to);
    cpu_->copy(from, to);
  }
  void copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset, std::size_t bytes) override {
    tested_->copy_part(from, from_offset, to, to_offset, bytes);
    cpu_->copy_part(from, from_offset, to, to_offset, bytes);
  }
  void submit() override { tested_->submit(); }
  bool done() override { return tested_->done(); }
  void finish() override { tested_->finish(); }
  // Copies of its own: run() has what is tested keep fields, too.
  void keep(FieldCopy field, std::size_t elements) override {
    Bytes& bytes = kept_[field];
    bytes.resize(elements * info(field.id).stride);
    tested_->read(field, bytes, 0);
  }
  std::span<const std::byte> kept(FieldCopy field) const override { return kept_.at(field); }
  void resize(FieldId id, std::size_t elements) override {
    tested_->resize(id, elements);
    cpu_->resize(id, elements);
  }
  std::size_t size(FieldId id) const override { return tested_->size(id); }
  void write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset) override {
    tested_->write(field, bytes, offset);
    cpu_->write(field, bytes, offset);
  }
  void read(FieldCopy field, std::span<std::byte> bytes, std::size_t offset) override {
    tested_->read(field, bytes, offset);
  }
  std::vector<PassTime> pass_times() const override { return tested_->pass_times(); }
  DeviceSummary device() const override { return tested_->device(); }
  bool defers() const override { return tested_->defers(); }
  gpu::Device* gpu_device() override { return tested_->gpu_device(); }
  gpu::Buffer* gpu_buffer(FieldId id) override { return tested_->gpu_buffer(id); }

private:
  std::unique_ptr<Executor> tested_;
  bool exact_;  // vectorised passes have the bits of their references
  std::unique_ptr<Executor> cpu_;
  std::map<std::pair<Pass, FieldId>, std::vector<BoundField>> written_;  // the field of passes of fields
  Bytes reference_;                                                      // of same(), kept for its memory
  std::map<FieldCopy, Bytes> kept_;
  double h_ = 0.0;  // s, substep of the pass that is compared

  // The fields that a pass writes; none of passes that run on the CPU alone.
  const std::vector<BoundField>& written_by(Pass pass, FieldId followed) {
    const auto [found, is_new] = written_.try_emplace({pass, followed});
    if (!is_new)
      return found->second;
    if (const auto code = shader_of(pass); !code.empty()) {
      found->second = bound_fields(pass, gpu::reflect(info(pass).name, code).buffers, followed);
      std::erase_if(found->second,
                    [](const BoundField& bound) { return bound.binding.access == gpu::BufferAccess::read; });
    }
    return found->second;
  }

  // Has the reference left these bytes in the field?
  bool same(std::span<const std::byte> tested, FieldCopy field) {
    reference_.resize(tested.size());
    cpu_->read(field, reference_, 0);
    // GCC compares std::byte by std::byte where it is not told to do better.
    return tested.empty() || std::memcmp(tested.data(), reference_.data(), tested.size()) == 0;
  }

  static Bytes contents(Executor& executor, FieldCopy field) {
    Bytes bytes(executor.size(field.id) * info(field.id).stride);
    executor.read(field, bytes);
    return bytes;
  }

  // Compares the bytes that a pass has written to a field on the device, in the way that the field declares.
  void compare(Pass pass, const BoundField& bound, const Bytes& device, const Args& args) {
    const FieldId id = bound.field.id;
    switch (info(id).compared) {
    case Compared::elements: {
      const Bytes cpu = contents(*cpu_, bound.field);
      if (info(id).members.front().components > 0)
        return compare(pass, of_slots(bound), by_slot(device), by_slot(cpu));
      return compare(pass, bound, device, cpu);
    }
    case Compared::of_cell:
      return compare(pass, bound, by_cell(device, FieldId::grid_start),
                     by_cell(contents(*cpu_, id), FieldId::grid_start));
    case Compared::of_near_cell:
      return compare(pass, bound, by_cell(device, FieldId::near_start),
                     by_cell(contents(*cpu_, id), FieldId::near_start));
    case Compared::links:
      if (info(pass).match == Match::unordered)
        return compare(pass, bound, by_link(*tested_), by_link(*cpu_));
      return compare(pass, bound, device, contents(*cpu_, id));
    case Compared::heads:
      if (info(pass).match != Match::unordered)  // else by what they lead to
        compare(pass, bound, device, contents(*cpu_, id));
      return;
    case Compared::history:
      return compare(pass, bound, by_row(*tested_, id, args.grains), by_row(*cpu_, id, args.grains));
    case Compared::sums:
      return compare_sums(pass, id, device, contents(*cpu_, id));
    case Compared::listed: {
      const Bytes cpu = contents(*cpu_, id);
      compare_sums(pass, id, loads_of_slices(device), loads_of_slices(cpu));
      return compare(pass, bound, by_slice(device), by_slice(cpu));
    }
    }
  }

  ContactSettings contact_settings() { return read_field<Settings>(*cpu_, FieldId::settings, 1)[0].contacts; }

  // The states of contacts, slot after slot, and their members as if they were those of a struct.
  Bytes by_slot(const Bytes& states) {
    const std::size_t words = contact_settings().state_words, row_bytes = 4 * words * slice_grains;
    Bytes slots = states;
    for (std::size_t row = 0; row + row_bytes <= states.size(); row += row_bytes)
      for (std::size_t component = 0; component < words; ++component)
        for (std::size_t lane = 0; lane < slice_grains; ++lane)
          std::memcpy(&slots[row + 4 * (lane * words + component)],
                      &states[row + 4 * (component * slice_grains + lane)], 4);
    return slots;
  }
  BoundField of_slots(BoundField bound) {
    const ContactSettings contacts = contact_settings();
    bound.binding.stride = 4 * contacts.state_words;
    bound.binding.scalars.clear();
    const auto& members = info(bound.field.id).members;
    for (std::size_t m = 0; m < members.size(); ++m)
      if (const uint first = contacts.*state_members[m]; first != state_none)
        for (uint c = 0; c < members[m].components; ++c)
          bound.binding.scalars.push_back({std::string(members[m].name), 4 * (first + c), gpu::ScalarKind::float32});
    return bound;
  }

  // The grains of each cell in one order; which grains a cell has must still agree.
  Bytes by_cell(Bytes bytes, FieldId cells) {
    const auto start = read_field<std::uint32_t>(*cpu_, cells, cpu_->size(cells));
    const std::span order(reinterpret_cast<std::uint32_t*>(bytes.data()), bytes.size() / sizeof(std::uint32_t));
    TALUS_ASSERT(!start.empty() && std::ranges::is_sorted(start), start.size());
    // Of cells [first, end), whose grains begin at a place.
    const auto sort = [&](std::size_t first, std::size_t end, std::size_t place) {
      const auto at = [&](std::size_t cell) {
        TALUS_ASSERT(cell < start.size() && place + start[cell] - start[first] <= order.size(), cell, place,
                     start[cell], order.size());
        return order.begin() + static_cast<std::ptrdiff_t>(place + start[cell] - start[first]);
      };
      for (std::size_t cell = first; cell < end; ++cell)
        std::sort(at(cell), at(cell + 1));
    };
    if (cells == FieldId::near_start) {
      sort(0, start.size() - 1, 0);
      return bytes;
    }
    const Settings settings = read_field<Settings>(*cpu_, FieldId::settings, 1)[0];
    const auto rebuilding = read_field<std::uint32_t>(*cpu_, FieldId::rebuilding, settings.worlds.count);
    const std::size_t of_world = grid_cells(settings.grid.bits);
    for (std::size_t k = 0; k < rebuilding.size() && rebuilding[k] < settings.worlds.count; ++k)
      sort(k * of_world, (k + 1) * of_world, std::size_t{rebuilding[k]} * settings.worlds.places);
    return bytes;
  }

  // Sets of bodies as they are; then cell after cell the grains that its linked list leads to, in one order.
  static Bytes by_link(Executor& executor) {
    const auto lists = read_field<uint>(executor, FieldId::cell_lists, executor.size(FieldId::cell_lists));
    const Settings settings = read_field<Settings>(executor, FieldId::settings, 1)[0];
    const uint cells = settings.worlds.count * grid_cells(settings.grid.bits);
    const std::size_t heads = link_head_word(cells, settings.bodies.count, 0);
    TALUS_ASSERT(heads + cells <= lists.size(), heads, cells, lists.size());
    const std::span head = std::span(lists).subspan(heads, cells), link = std::span(lists).subspan(heads + cells);
    std::vector<uint> out(lists.begin(), lists.begin() + static_cast<std::ptrdiff_t>(heads));
    for (const uint first : head) {
      const auto begin = static_cast<std::ptrdiff_t>(out.size());
      for (uint i = first; i < link.size() && out.size() < lists.size(); i = link[i] & link_mask)
        out.push_back(i | (link[i] == no_partner ? 0 : link[i] & link_new));
      std::sort(out.begin() + begin, out.end());
      out.push_back(link_end);
    }
    out.resize(lists.size(), no_partner);
    const auto bytes = std::as_bytes(std::span(out));
    return {bytes.begin(), bytes.end()};
  }

  // Returns the slices with their list sorted, since a device lists those that run in any order.
  static Bytes by_slice(Bytes bytes) {
    const std::span slices(reinterpret_cast<SliceActivity*>(bytes.data()), bytes.size() / sizeof(SliceActivity));
    std::vector<uint> listed;
    for (const SliceActivity& slice : slices)
      listed.push_back(slice.listed);
    std::ranges::sort(listed, std::ranges::greater());
    for (std::size_t k = 0; k < slices.size(); ++k) {
      slices[k].listed = listed[k];
      std::ranges::fill(slices[k].load, 0u);  // compared as sums
    }
    return bytes;
  }

  // What slices do to bodies, as records.
  static Bytes loads_of_slices(const Bytes& bytes) {
    const std::span slices(reinterpret_cast<const SliceActivity*>(bytes.data()), bytes.size() / sizeof(SliceActivity));
    Bytes records(slices.size() * load_words * sizeof(uint));
    for (std::size_t k = 0; k < slices.size(); ++k)
      std::memcpy(&records[k * load_words * sizeof(uint)], slices[k].load, sizeof(slices[k].load));
    return records;
  }

  // What grains have in the history buffer, grain after grain: of those whose rows are made anew.
  static Bytes by_row(Executor& executor, FieldId id, uint grains) {
    const auto first = read_field<uint>(executor, FieldId::history_first, grains);
    const auto count = read_field<uint>(executor, FieldId::history_count, grains);
    std::vector<uint> next(grains);
    executor.read({FieldId::contact_count, Copy::next}, std::as_writable_bytes(std::span(next)));
    const auto settings = read_field<Settings>(executor, FieldId::settings, 1)[0];
    const auto worlds = read_field<World>(executor, FieldId::worlds, settings.worlds.count);
    const bool all = read_field<Status>(executor, FieldId::status, 1)[0].lists.rebuilding > 0;
    const Bytes history = contents(executor, id);
    const std::size_t entry = (1 + std::size_t{settings.contacts.kept_words}) * info(id).stride;
    Bytes rows;
    for (uint i = 0; i < grains && !history.empty(); ++i) {
      const World& world = worlds[settings.worlds.count == 1 ? 0 : i / settings.worlds.places];
      const bool made_anew = all ? world.lists.table != no_table : is_searched(next[i]);
      if (!made_anew || count[i] == 0 || world.lists.history > settings.worlds.history)
        continue;
      TALUS_ASSERT((std::size_t{first[i]} + count[i]) * entry <= history.size(), i, first[i], count[i], history.size());
      const auto at = history.begin() + static_cast<std::ptrdiff_t>(first[i] * entry);
      rows.insert(rows.end(), at, at + static_cast<std::ptrdiff_t>(count[i] * entry));
    }
    return rows;
  }

  // Are the two coordinates of one vector? Errors of one come from the others too; w is a number of its own.
  static bool same_vector(std::string_view a, std::string_view b) {
    const auto coordinate = [](std::string_view s) { return !s.empty() && s.back() >= 'x' && s.back() <= 'z'; };
    return coordinate(a) && coordinate(b) && a.substr(0, a.size() - 1) == b.substr(0, b.size() - 1);
  }

  // A gap is a distance less radii, and Vulkan lets quotients and roots be off by 2.5 ulp and more: the error of an
  // overlap is that of a few roundings of the distance, however small it is itself. So it is with what moves by it:
  // displacements, and the speeds and impulses that make them in a substep.
  struct Roundings {
    double way = 0.0, speed = 0.0, impulse = 0.0;  // m, m/s; N s, of the heaviest grain
    double fastest = 0.0;                          // m/s, speed of a grain
    double least_radius = 0.0;                     // m
    double weight = 0.0;                           // kg, of a contact of the heaviest grain (contact_weights)
    uint force = force_spring;                     // what sums of contacts are, by the method
  };
  static constexpr double few = 4.0 / (1 << 23);
  std::optional<Roundings> rounding_;
  // For the pass that is compared, found once, however many of its numbers ask for it.
  const Roundings& rounding_of() {
    if (!rounding_)
      rounding_ = find_rounding();
    return *rounding_;
  }
  Roundings find_rounding() {
    double distance = 0.0, farthest = 0.0, speed = 0.0, mass = 0.0, least = std::numeric_limits<double>::max();
    for (const Grain& grain : read_field<Grain>(*cpu_, FieldId::grains, cpu_->size(FieldId::grains))) {
      if (const auto radius = static_cast<double>(grain.position.w); radius > 0.0) {
        distance = std::max(distance, 2.0 * radius);
        least = std::min(least, radius);
        farthest = std::max(farthest, static_cast<double>(glm::length(vec3(grain.position))));
      }
      speed = std::max(speed, static_cast<double>(glm::length(vec3(grain.velocity))));
      if (grain.velocity.w > 0.0f)
        mass = std::max(mass, 1.0 / static_cast<double>(grain.velocity.w));
    }
    for (const Body& body : read_field<Body>(*cpu_, FieldId::bodies, cpu_->size(FieldId::bodies)))
      distance = std::max(distance, std::min(static_cast<double>(body.reach),
                                             farthest + static_cast<double>(glm::length(body.motion.position))));
    const double way = few * std::max(distance, speed * h_);
    const double faster = h_ > 0.0 ? way / h_ : 0.0;
    const Settings settings = read_field<Settings>(*cpu_, FieldId::settings, 1)[0];
    // W = m b / (b + c) follows an error of the overlap b by at most m / c of it.
    const double carries =
        weight_carry * h_ * h_ * static_cast<double>(glm::length(settings.domain.gravity)) + weight_least * least;
    return {way, faster, faster * mass, speed, least, mass * std::min(way / carries, 1.0), settings.solver.force};
  }

  // How far the member of a field may be off by such roundings.
  double rounded(Pass pass, FieldCopy field, std::string_view member) {
    for (const Rounded& r : info(field.id).rounded)
      if (r.by != Rounding::none && r.copy == field.copy && member.starts_with(r.member))
        return rounded(pass, r.by);
    return 0.0;
  }
  double rounded(Pass pass, Rounding by) {
    switch (by) {
    case Rounding::none:
      return 0.0;
    case Rounding::displacement:
      return rounding_of().way;
    case Rounding::speed:
      return rounding_of().speed;
    case Rounding::speed_squared:  // twice the speed times its error, of which the tolerance of the pass is a part
      return 2.0 * rounding_of().fastest *
             (rounding_of().speed + static_cast<double>(info(pass).tolerance) * rounding_of().fastest);
    case Rounding::impulse:
      return rounding_of().impulse;
    case Rounding::overlap:  // in radii
      return rounding_of().way / rounding_of().least_radius;
    case Rounding::contact_sum:
      return rounding_of().force == force_impulse ? rounding_of().impulse : rounding_of().way;
    case Rounding::contact_shear:
      return rounding_of().force == force_spring ? rounding_of().speed : rounding_of().way;
    case Rounding::weights:  // from overlaps, and for the next iteration from corrections that are as exact as these
      return rounding_of().weight;
    case Rounding::fine_clear:  // falls by the way of a grain, which is as exact as its place
      return static_cast<double>(fine_away * info(pass).tolerance * farthest_fine());
    case Rounding::spin:
      return few * spin_condition();
    }
    return 0.0;
  }

  // The greatest coordinate of a fine grain [m].
  float farthest_fine() {
    float most = 0.0f;
    for (const Grain& grain : read_field<Grain>(*cpu_, FieldId::fine_grains, cpu_->size(FieldId::fine_grains)))
      most = std::max({most, std::abs(grain.position.x), std::abs(grain.position.y), std::abs(grain.position.z)});
    return most;
  }

  // A spin that follows from the angular momentum, by the inertia in turned axes and its inverse: roundings of the axes
  // grow by the inertia's condition. Of the body where that is most [rad/s].
  double spin_condition() {
    double most = 0.0;
    const auto states = read_field<RigidState>(*cpu_, FieldId::rigid_states, cpu_->size(FieldId::rigid_states));
    const auto rigid = read_field<Rigid>(*cpu_, FieldId::rigid, states.size());
    const auto norm = [](const mat3& m) {
      return std::sqrt(static_cast<double>(glm::dot(m[0], m[0]) + glm::dot(m[1], m[1]) + glm::dot(m[2], m[2])));
    };
    for (std::size_t body = 0; body < states.size(); ++body)
      if (rigid[body].mass > 0.0f)
        most = std::max(most, norm(rigid[body].inertia) * norm(rigid[body].inverse_inertia) *
                                  static_cast<double>(glm::length(states[body].motion.spin)));
    return most;
  }

  // In quanta of what bodies receive: of impulses (0), of moments (1), whose arm is as long as the domain at most.
  double rounded_sum(std::size_t kind) {
    const Settings settings = read_field<Settings>(*cpu_, FieldId::settings, 1)[0];
    const double arm = kind == 0 ? 1.0 : static_cast<double>(glm::length(settings.domain.max - settings.domain.min));
    return rounding_of().impulse * arm / static_cast<double>(settings.bodies.load_quantum[static_cast<int>(kind)]);
  }

  // Is it of a quaternion of length 1?
  static bool of_rotation(std::string_view name) { return name.find("rotation.") != std::string_view::npos; }

  // What bodies receive: numbers in two words, of floats that rounding makes differ. By the greatest impulse and
  // moment.
  void compare_sums(Pass pass, FieldId id, const Bytes& device, const Bytes& host) {
    const auto number = [](const Bytes& bytes, std::size_t word) {
      const std::uint64_t low = word_at(bytes, 4 * word), high = word_at(bytes, 4 * (word + 1));
      return static_cast<double>(static_cast<std::int64_t>(high << 32 | low));
    };
    TALUS_ASSERT(device.size() == host.size() && host.size() % (4 * load_words) == 0, device.size(), host.size());
    double scale[2] = {};
    const std::size_t words = host.size() / 4;
    for (std::size_t record = 0; record < words; record += load_words)
      for (std::size_t n = 0; n < 6; ++n)
        scale[n / 3] = std::max(scale[n / 3], std::abs(number(host, record + 2 * n)));
    for (std::size_t record = 0; record < words; record += load_words) {
      for (std::size_t n = 0; n < 6; ++n) {
        const double d = number(device, record + 2 * n), h = number(host, record + 2 * n);
        if (const double tolerance = static_cast<double>(info(pass).tolerance) * scale[n / 3];
            std::abs(d - h) > tolerance + 1.0 && std::abs(d - h) > rounded_sum(n / 3))
          throw VerifyError(
              fmt::format("pass {}: {}[{}] is {} quanta on the device and {} in the reference (tolerance {})",
                          info(pass).name, info(id).name, record + 2 * n, d, h, tolerance));
      }
      if (const auto d = word_at(device, 4 * (record + load_uncounted)),
          h = word_at(host, 4 * (record + load_uncounted));
          d != h)
        throw VerifyError(fmt::format("pass {}: {}[{}] is {} contacts on the device and {} in the reference",
                                      info(pass).name, info(id).name, record + load_uncounted, d, h));
    }
  }

  // The length of a vector of such numbers is 0 where a device takes subnormal numbers, their squares, for 0.
  static constexpr float without_length = 1e-19f;

  void compare(Pass pass, const BoundField& bound, const Bytes& device, const Bytes& host) {
    const float tolerance = info(pass).match == Match::close && !exact_ ? info(pass).tolerance : 0.0f;
    const std::size_t stride = bound.binding.stride;
    TALUS_ASSERT(stride > 0 && device.size() == host.size() && host.size() % 4 == 0, pass, bound.field.id, stride,
                 device.size(), host.size());
    struct Number {
      const gpu::ScalarMember* member = nullptr;  // null: words between members
      std::optional<float> scale;                 // of the vector, where a number differs
    };
    std::vector<Number> numbers(stride / 4);  // of an element
    for (const gpu::ScalarMember& member : bound.binding.scalars)
      numbers.at(member.offset / 4).member = &member;
    for (std::size_t at = 0; at < host.size(); at += 4) {
      const std::uint32_t d = word_at(device, at), h = word_at(host, at);
      if (d == h)
        continue;
      Number& number = numbers[at % stride / 4];
      if (!number.member)
        continue;
      const gpu::ScalarMember& member = *number.member;
      // Greatest speeds are floats, kept as their bits for the sake of atomics.
      const std::string_view name = member.name.empty() ? info(bound.field.id).name : std::string_view(member.name);
      const bool real = member.kind == gpu::ScalarKind::float32 || name.ends_with("_bits");
      if (real && tolerance > 0.0f && !number.scale)
        number.scale = scale_of(bound, member, host);
      const float df = std::bit_cast<float>(d), hf = std::bit_cast<float>(h);
      const float allowed = number.scale ? std::max(tolerance * *number.scale, without_length) : 0.0f;
      if (real && (std::abs(df - hf) <= allowed || (tolerance > 0.0f && static_cast<double>(std::abs(df - hf)) <=
                                                                            rounded(pass, bound.field, member.name))))
        continue;
      throw VerifyError(fmt::format("pass {}: {}[{}]{}{} is {} on the device and {} in the reference (tolerance {})",
                                    info(pass).name, name_of(bound.field), at / stride, member.name.empty() ? "" : ".",
                                    member.name, real ? fmt::format("{}", df) : fmt::format("{}", d),
                                    real ? fmt::format("{}", hf) : fmt::format("{}", h), allowed));
    }
  }

  // The greatest of such numbers, those of the other coordinates of one vector with them.
  static float scale_of(const BoundField& bound, const gpu::ScalarMember& member, const Bytes& bytes) {
    float most = 0.0f;
    for (const gpu::ScalarMember& other : bound.binding.scalars)
      if (other.name == member.name || same_vector(member.name, other.name))
        for (std::size_t at = other.offset; at < bytes.size(); at += bound.binding.stride)
          if (const float value = std::abs(std::bit_cast<float>(word_at(bytes, at))); std::isfinite(value))
            most = std::max(most, value);
    // A rotation may be none: x, y and z are 0 to rounding.
    return of_rotation(member.name) ? std::max(most, 1.0f) : most;
  }
};

}  // namespace

std::unique_ptr<Executor> make_lockstep_executor(std::unique_ptr<Executor> tested, int threads) {
  return std::make_unique<LockstepExecutor>(std::move(tested), threads);
}

}  // namespace talus
