#include "engine/motion/drives.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace talus {

Drives::Drives(const Scene& scene, double time_zero)
    : bodies_(static_cast<std::uint32_t>(scene.bodies.size())), worlds_(scene.worlds, {Drive(scene, time_zero)}) {}

Drives::Place Drives::place_of(std::uint32_t body) const {
  if (body >= bodies_ * worlds_.size())
    throw std::invalid_argument(
        worlds_.size() == 1
            ? fmt::format("there is no body {}: the scene has {}", body, bodies_)
            : fmt::format("there is no body {}: {} worlds have {} each", body, worlds_.size(), bodies_));
  return {body / bodies_, body % bodies_};
}

Drive::Batch Drives::batch(std::uint64_t step, std::uint64_t count) const {
  if (worlds_.size() == 1)
    return worlds_[0].drive.batch(local(step, 0), count);
  Drive::Batch all;
  all.motions.resize(count * worlds_.size() * bodies_);
  all.speeds.resize(count * worlds_.size());
  for (std::size_t w = 0; w < worlds_.size(); ++w) {
    const Drive::Batch own = worlds_[w].drive.batch(local(step, static_cast<std::uint32_t>(w)), count);
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t row = s * worlds_.size() + w;
      std::copy_n(own.motions.begin() + static_cast<std::ptrdiff_t>(s * bodies_), bodies_,
                  all.motions.begin() + static_cast<std::ptrdiff_t>(row * bodies_));
      all.speeds[row] = own.speeds[s];
    }
  }
  return all;
}

void Drives::advance(std::uint64_t count) {
  for (World& world : worlds_)
    world.drive.advance(count);
}

void Drives::set(std::uint32_t world, Course course) {
  worlds_[world].drive.set(std::move(course.commands));
  worlds_[world].start = course.start;
}

std::vector<Drives::Course> Drives::courses() const {
  std::vector<Course> courses;
  for (std::uint32_t w = 0; w < worlds_.size(); ++w)
    courses.push_back(course(w));
  return courses;
}

void Drives::set(const std::vector<Course>& courses) {
  for (std::uint32_t w = 0; w < worlds_.size(); ++w)
    set(w, courses[w]);
}

// The only world's commands alone; of several, each with its start and length before it.
std::vector<std::byte> Drives::to_bytes() const {
  if (worlds_.size() == 1)
    return worlds_[0].drive.to_bytes();
  std::vector<std::byte> bytes;
  for (const World& world : worlds_) {
    const std::vector<std::byte> own = world.drive.to_bytes();
    const std::uint64_t head[] = {static_cast<std::uint64_t>(world.start), own.size()};
    const auto before = std::as_bytes(std::span(head));
    bytes.insert(bytes.end(), before.begin(), before.end());
    bytes.insert(bytes.end(), own.begin(), own.end());
  }
  return bytes;
}

std::optional<std::vector<Drives::Course>> Drives::from_bytes(std::span<const std::byte> bytes) const {
  std::vector<Course> courses;
  for (const World& world : worlds_) {
    std::uint64_t head[] = {0, bytes.size()};
    if (worlds_.size() > 1) {
      if (bytes.size() < sizeof head)
        return {};
      std::memcpy(head, bytes.data(), sizeof head);
      bytes = bytes.subspan(sizeof head);
    }
    if (bytes.size() < head[1])
      return {};
    auto commands = world.drive.from_bytes(bytes.first(head[1]));
    if (!commands)
      return {};
    courses.push_back({std::move(*commands), static_cast<std::int64_t>(head[0])});
    bytes = bytes.subspan(head[1]);
  }
  return bytes.empty() ? std::optional(std::move(courses)) : std::nullopt;
}

}  // namespace talus
