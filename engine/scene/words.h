#pragma once
// The words that stand for enumerators in scene files, messages and reports.
#include "engine/scene/robot_drive.h"
#include "engine/scene/scene.h"
#include <array>
#include <string_view>

namespace talus {

// Of all enumerators, in their order.
template <class E> inline constexpr std::array<std::string_view, 0> words{};
template <> inline constexpr std::array<std::string_view, 3> words<Axis>{"open", "wall", "periodic"};
template <> inline constexpr std::array<std::string_view, 5> words<Method>{"p2", "pbd", "vts", "sp", "dem"};
template <>
inline constexpr std::array<std::string_view, 5> words<Iteration>{"jacobi", "improved_jacobi", "mass_splitting", "pja",
                                                                  "gauss_seidel"};
template <> inline constexpr std::array<std::string_view, 2> words<Averaging>{"mass", "plain"};
template <>
inline constexpr std::array<std::string_view, 3> words<FrictionBound>{"accumulated", "per_iteration", "afterwards"};
template <> inline constexpr std::array<std::string_view, 2> words<Accuracy>{"fast", "forces"};
template <> inline constexpr std::array<std::string_view, 2> words<Neighbours>{"sorted", "linked"};
template <> inline constexpr std::array<std::string_view, 2> words<Stiffness>{"numerical", "material"};
template <> inline constexpr std::array<std::string_view, 2> words<ContactLaw>{"linear", "hertz"};
template <> inline constexpr std::array<std::string_view, 2> words<Sampling>{"poisson", "lattice"};
template <> inline constexpr std::array<std::string_view, 3> words<MeshAs>{"sdf", "triangles", "particles"};
template <> inline constexpr std::array<std::string_view, 3> words<UpAxis>{"x", "y", "z"};
template <> inline constexpr std::array<std::string_view, 2> words<Interpolation>{"smooth", "linear"};
template <> inline constexpr std::array<std::string_view, 4> words<JointType>{"revolute", "prismatic", "fixed", "ball"};
template <>
inline constexpr std::array<std::string_view, 12> words<ColorBy>{"material", "speed",  "height",  "overlap",
                                                                 "contacts", "force",  "palette", "id",
                                                                 "world",    "radius", "spin",    "activity"};
template <> inline constexpr std::array<std::string_view, 2> words<Projection>{"perspective", "orthographic"};
template <> inline constexpr std::array<std::string_view, 2> words<PixelValue>{"depth", "height"};
template <> inline constexpr std::array<std::string_view, 3> words<Level>{"fine", "coarse", "both"};
template <> inline constexpr std::array<std::string_view, 3> words<Quality>{"draft", "good", "film"};
template <>
inline constexpr std::array<std::string_view, 7> words<Finish>{"plain", "sand",  "gravel", "soil",
                                                               "glass", "metal", "paint"};
template <> inline constexpr std::array<std::string_view, 2> words<Advection>{"steady", "plain"};
template <> inline constexpr std::array<std::string_view, 2> words<Resampling>{"bilinear", "nearest"};
template <>
inline constexpr std::array<std::string_view, 4> words<RobotDrive>{"prescribed", "position", "speed", "passive"};
template <> inline constexpr std::array<std::string_view, 2> words<RobotBase>{"fixed", "free"};
template <> inline constexpr std::array<std::string_view, 2> words<GroundContact>{"grains", "surface"};
template <> inline constexpr std::array<std::string_view, 3> words<Show>{"solid", "cut", "hidden"};

template <class E> constexpr std::string_view word(E e) {
  return words<E>[static_cast<std::size_t>(e)];
}

}  // namespace talus
