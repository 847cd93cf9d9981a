#include "viewer/inputs.h"
#include "engine/base/atomic_file.h"
#include "viewer/cut.h"
#include "viewer/parameters.h"
#include "viewer/pour.h"
#include "viewer/status.h"
#include <algorithm>
#include <charconv>
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

// The value of a key, of the kind that it must be. Throws std::invalid_argument.
const Json& value_of(const Json& json, const char* key, bool (Json::*is_kind)() const, const char* kind) {
  const auto found = json.find(key);
  if (found == json.end())
    throw std::invalid_argument(fmt::format("it lacks \"{}\"", key));
  if (!((*found).*is_kind)())
    throw std::invalid_argument(fmt::format("\"{}\" must be {}, not {}", key, kind,
                                            found->dump(-1, ' ', false, Json::error_handler_t::replace)));
  return *found;
}
bool is_number(const Json& json) {
  return json.is_number();
}
double number_of(const Json& json, const char* key) {
  return value_of(json, key, &Json::is_number, "a number").get<double>();
}
std::uint64_t whole_of(const Json& json, const char* key) {
  return value_of(json, key, &Json::is_number_unsigned, "a whole number from 0 on").get<std::uint64_t>();
}
std::string text_of(const Json& json, const char* key) {
  return value_of(json, key, &Json::is_string, "a string").get<std::string>();
}
glm::dvec3 vector_of(const Json& json, const char* key) {
  const Json& list = value_of(json, key, &Json::is_array, "[x, y, z]");
  if (list.size() != 3 || !std::ranges::all_of(list, is_number))
    throw std::invalid_argument(fmt::format("\"{}\" must be three numbers, [x, y, z]", key));
  return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>()};
}
std::uint64_t hash_of(const Json& json) {
  const std::string text = text_of(json, "hash");
  std::uint64_t hash = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("\"hash\" must be a hexadecimal number, not \"{}\"", text));
  return hash;
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
          [](const Pour& i) {
            return Json{{"pour", json_of(i.at)}};
          },
          [](const Dig& i) {
            return Json{{"dig", json_of(i.at)}, {"radius", i.radius}};
          },
          [](const Push& i) {
            return Json{{"push", json_of(i.at)}, {"radius", i.radius}};
          },
          [](const Cut& i) {
            return Json{{"cut", i.body}, {"at", json_of(i.at)}, {"radius", i.radius}};
          },
          [](const SetParameter& i) {
            return Json{{"set", i.key}, {"value", i.value}};
          },
      },
      input);
}

Input input_of(const Json& json) {
  if (json.contains("drive_joint"))
    return DriveJoint{text_of(json, "drive_joint"), number_of(json, "speed")};
  if (json.contains("move_joint"))
    return MoveJoint{text_of(json, "move_joint"), number_of(json, "value")};
  if (json.contains("drive_body"))
    return DriveBody{text_of(json, "drive_body"), vector_of(json, "velocity"), vector_of(json, "spin")};
  if (json.contains("push_body"))
    return PushBody{text_of(json, "push_body"), vector_of(json, "force"), vector_of(json, "torque")};
  if (json.contains("grab"))
    return Grab{vector_of(json, "grab"), number_of(json, "radius")};
  if (json.contains("move_hand"))
    return MoveHand{vector_of(json, "move_hand")};
  if (json.contains("release"))
    return Release{};
  if (json.contains("pour"))
    return Pour{vector_of(json, "pour")};
  if (json.contains("dig"))
    return Dig{vector_of(json, "dig"), number_of(json, "radius")};
  if (json.contains("push"))
    return Push{vector_of(json, "push"), number_of(json, "radius")};
  if (json.contains("cut"))
    return Cut{text_of(json, "cut"), vector_of(json, "at"), number_of(json, "radius")};
  if (json.contains("set"))
    return SetParameter{text_of(json, "set"), number_of(json, "value")};
  throw std::invalid_argument(
      "it must be one of drive_joint, move_joint, drive_body, push_body, grab, move_hand, release, pour, dig, push, "
      "cut, set");
}

// Ground gives no grains to a hand: it is there as columns until a body digs it.
void dig(talus::Simulation& simulation, const Dig& input) {
  if (simulation.remove_grains(input.at, input.radius) == 0 && simulation.scene().soil)
    throw std::invalid_argument("nothing is dug here: the ground of [soil] has no grains where no body has dug it, and "
                                "only grains are removed");
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
                 [&](const Pour& i) { simulation.change(with_pour(simulation.scene(), simulation.time(), i.at)); },
                 [&](const Dig& i) { dig(simulation, i); },
                 [&](const Push& i) { simulation.push_grains(i.at, i.radius); },
                 [&](const Cut& i) { simulation.change(with_cut(simulation.scene(), i.body, i.at, i.radius)); },
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
  result.file = file;
  std::string place = file.string();
  try {
    const Json json = Json::parse(in);
    if (!json.is_object())
      throw std::invalid_argument("it must be an object {..}");
    result.scene = text_of(json, "scene");
    result.scene_text = text_of(json, "scene_text");
    result.device = text_of(json, "device");
    result.end = whole_of(json, "end");
    result.hash = hash_of(json);
    for (const Json& one : value_of(json, "inputs", &Json::is_array, "a list")) {
      place = result.place(result.inputs.size());
      if (!one.is_object())
        throw std::invalid_argument("it must be an object {..}");
      const std::uint64_t step = whole_of(one, "step");
      if (!result.inputs.empty() && step < result.inputs.back().first)
        throw std::invalid_argument(fmt::format("its step {} comes before that of the input before it, {}: they must "
                                                "be in the order of their steps",
                                                step, result.inputs.back().first));
      result.inputs.emplace_back(step, input_of(one));
    }
  } catch (const std::exception& e) {
    throw UsageError(fmt::format("{}: not a recording of inputs, or a damaged one: {}", place, e.what()));
  }
  return result;
}

std::string Inputs::place(std::size_t input) const {
  return fmt::format("{}: inputs[{}]", file.string(), input);
}

talus::Scene Inputs::parse() const {
  try {
    return talus::parse_scene(scene_text, scene.string());
  } catch (const talus::SceneError& e) {
    throw UsageError(fmt::format("{}: scene_text: {}", file.string(), e.what()));
  }
}

std::uint64_t Replay::next() const {
  return played_ < inputs_.inputs.size() ? std::min(inputs_.inputs[played_].first, inputs_.end) : inputs_.end;
}

void Replay::play(talus::Simulation& simulation) {
  const auto cannot_be = [&](const char* why) { throw UsageError(fmt::format("{}: {}", inputs_.place(played_), why)); };
  for (; played_ < inputs_.inputs.size() && inputs_.inputs[played_].first <= simulation.step(); ++played_)
    try {
      act(simulation, inputs_.inputs[played_].second);
    } catch (const std::logic_error& e) {
      cannot_be(e.what());
    } catch (const talus::SceneError& e) {
      cannot_be(e.what());
    }
}

std::string Replay::last() const {
  return played_ == 0 ? ""
                      : fmt::format("{}, of step {}", inputs_.place(played_ - 1), inputs_.inputs[played_ - 1].first);
}

}  // namespace viewer
