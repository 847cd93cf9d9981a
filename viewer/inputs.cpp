#include "viewer/inputs.h"
#include "engine/io/export.h"
#include "viewer/parameters.h"
#include "viewer/status.h"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace viewer {

using Json = nlohmann::ordered_json;

namespace {

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

Json json_of(const glm::dvec3& v) {
  return {v.x, v.y, v.z};
}

glm::dvec3 vector_of(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

// Of a number that no std::uint64_t holds the JSON library would make any.
std::uint64_t whole(const Json& json) {
  if (!json.is_number_unsigned())
    throw std::invalid_argument(fmt::format("{} is no whole number", json.dump()));
  return json.get<std::uint64_t>();
}

Json json_of(const Input& input) {
  return std::visit(
      Overloaded{
          [](const DriveJoint& i) {
            return Json{{"drive_joint", i.body}, {"speed", i.speed}};
          },
          [](const MoveJoint& i) {
            return Json{{"move_joint", i.body}, {"value", i.value}};
          },
          [](const DriveBody& i) {
            return Json{{"drive_body", i.body}, {"velocity", json_of(i.velocity)}, {"spin", json_of(i.spin)}};
          },
          [](const PushBody& i) {
            return Json{{"push_body", i.body}, {"force", json_of(i.force)}, {"torque", json_of(i.torque)}};
          },
          [](const Grab& i) {
            return Json{{"grab", json_of(i.at)}, {"radius", i.radius}};
          },
          [](const MoveHand& i) {
            return Json{{"move_hand", json_of(i.at)}};
          },
          [](const Release&) {
            return Json{{"release", true}};
          },
          [](const SetParameter& i) {
            return Json{{"set", i.key}, {"value", i.value}};
          },
      },
      input);
}

Input input_of(const Json& json) {
  if (json.contains("drive_joint"))
    return DriveJoint{json.at("drive_joint"), json.at("speed")};
  if (json.contains("move_joint"))
    return MoveJoint{json.at("move_joint"), json.at("value")};
  if (json.contains("drive_body"))
    return DriveBody{json.at("drive_body"), vector_of(json.at("velocity")), vector_of(json.at("spin"))};
  if (json.contains("push_body"))
    return PushBody{json.at("push_body"), vector_of(json.at("force")), vector_of(json.at("torque"))};
  if (json.contains("grab"))
    return Grab{vector_of(json.at("grab")), json.at("radius")};
  if (json.contains("move_hand"))
    return MoveHand{vector_of(json.at("move_hand"))};
  if (json.contains("release"))
    return Release{};
  if (json.contains("set"))
    return SetParameter{json.at("set"), json.at("value")};
  throw std::invalid_argument(
      "it is none of drive_joint, move_joint, drive_body, push_body, grab, move_hand, release, set");
}

}  // namespace

void act(talus::Simulation& simulation, const Input& input) {
  std::visit(Overloaded{
                 [&](const DriveJoint& i) { simulation.drive_joint(simulation.body(i.body), i.speed); },
                 [&](const MoveJoint& i) { simulation.move_joint(simulation.body(i.body), i.value); },
                 [&](const DriveBody& i) {
                   simulation.drive_body(simulation.body(i.body), {i.velocity, i.spin});
                 },
                 [&](const PushBody& i) {
                   simulation.push_body(simulation.body(i.body), {i.force, i.torque});
                 },
                 [&](const Grab& i) { simulation.grab(i.at, i.radius); },
                 [&](const MoveHand& i) { simulation.move_hand(i.at); },
                 [&](const Release&) { simulation.release(); },
                 [&](const SetParameter& i) { simulation.change(with_parameter(simulation.scene(), i.key, i.value)); },
             },
             input);
}

void Inputs::save(const std::filesystem::path& file) const {
  Json list = Json::array();
  for (const auto& [step, input] : inputs) {
    Json entry{{"step", step}};
    entry.update(json_of(input));
    list.push_back(std::move(entry));
  }
  const Json json{
      {"scene", scene.string()},  {"device", device},         {"end", end}, {"hash", fmt::format("{:016x}", hash)},
      {"scene_text", scene_text}, {"inputs", std::move(list)}};
  talus::write_file(file, json.dump(1) + "\n");
}

Inputs Inputs::load(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in)
    throw UsageError(fmt::format("{} cannot be read", file.string()));
  Inputs result;
  std::size_t entry = 0;
  try {
    const Json json = Json::parse(in);
    result.scene = json.at("scene").get<std::string>();
    result.scene_text = json.at("scene_text");
    result.device = json.at("device");
    result.end = whole(json.at("end"));
    result.hash = std::stoull(json.at("hash").get<std::string>(), nullptr, 16);
    for (const Json& one : json.at("inputs")) {
      result.inputs.emplace_back(whole(one.at("step")), input_of(one));
      ++entry;
    }
  } catch (const std::exception& e) {
    throw UsageError(fmt::format("{}: not a recording of inputs, or a damaged one{}: {}", file.string(),
                                 entry > 0 ? fmt::format(", after input {}", entry) : "", e.what()));
  }
  if (!std::ranges::is_sorted(result.inputs, {}, [](const auto& input) { return input.first; }))
    throw UsageError(fmt::format("{}: the inputs are not in the order of their steps", file.string()));
  return result;
}

std::uint64_t Replay::next() const {
  return played_ < inputs_.inputs.size() ? std::min(inputs_.inputs[played_].first, inputs_.end) : inputs_.end;
}

void Replay::play(talus::Simulation& simulation) {
  for (; played_ < inputs_.inputs.size() && inputs_.inputs[played_].first <= simulation.step(); ++played_)
    act(simulation, inputs_.inputs[played_].second);
}

}  // namespace viewer
