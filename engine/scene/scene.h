#pragma once
// A checked scene: what a scene file says, in SI units, with every default filled in. No file syntax in here.
#include "engine/geometry/cloth.h"
#include "engine/geometry/gear.h"
#include "engine/geometry/heightmap.h"
#include "engine/scene/motion.h"
#include "engine/scene/robot.h"
#include <array>
#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace talus {

struct LoadedGrains;
struct TriangleGrid;

// "FILE:LINE:COLUMN: what is wrong and what is allowed"
struct SceneError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Values as in shaders/shared/types.h. periodic: what leaves on one side comes in on the other, and touches across it.
enum class Axis : std::uint32_t { open, wall, periodic };

// How contacts are solved (see the passes of the same names).
//   p2   Parallel Particles (Holz 2014): visco-elastic corrections of positions
//   pbd  position-based dynamics (Macklin 2014, Sommer and Schwanecke 2022)
//   vts  velocity time stepping (Francu and Moldoveanu 2014, Millard et al. 2023): contact impulses
//   sp   sequential positions (Francu and Moldoveanu 2014)
//   dem  one explicit pass of springs and dampers per substep
enum class Method { p2, pbd, vts, sp, dem };
enum class Iteration { jacobi, improved_jacobi, mass_splitting, pja, gauss_seidel };
// What Jacobi's iterations make of the corrections of a grain's contacts. mass: each contact moves a part of the
// grain's mass, by the mass at the contact and by what it bears, so that momentum is kept. plain: their mean, as
// printed in the papers, which loses momentum where grains have different numbers of contacts.
enum class Averaging { mass, plain };
// What bounds friction: the sums over the iterations of a substep, each iteration by itself (as printed), or, applied
// once after them, the push that bears the grain's own weight (Francu and Moldoveanu 2014, figure 5, for comparison).
enum class FrictionBound { accumulated, per_iteration, afterwards };
enum class Neighbours { sorted, linked };
// When contacts are found, for comparisons (Millard et al. 2023, section II-D): lists that last for several substeps;
// lists made anew in every one; dem without memory in one pass that first finds and then solves them, or solves each as
// it finds it.
enum class Detection { lists, lists_anew, two_loops, one_loop };
// Stiffness of a dem contact: tied to the substep, so that every substep is stable, or the material's.
enum class Stiffness { numerical, material };
// Normal force of a dem contact by its overlap: proportional to it, or after Hertz, with Mindlin's stiffness across it.
enum class ContactLaw { linear, hertz };
// What substeps = "auto" aims at: an overlap at which grains look right, or one at which forces are converged.
enum class Accuracy { fast, forces };

// How a surface reflects light in pictures; shaders/shared/finish.h has the numbers. plain: matt, of one colour. sand,
// gravel, soil: grains of a mixture of minerals, whose mean is the colour.
enum class Finish { plain, sand, gravel, soil, glass, metal, paint };

struct Material {
  std::string name;
  double density = 1600.0;              // kg/m3
  double friction_static = 0.5;         // Coulomb coefficient, sticking
  double friction_kinetic = 0.5;        // Coulomb coefficient, sliding
  double stiffness = 1e6;               // N/m, of a contact (p2; dem with the material's stiffness)
  std::optional<double> damping;        // N s/m, of a contact; unset: 0.1 stiffness * substep, in dem 0.11 of critical
  std::optional<double> young_modulus;  // Pa, of Hertz's contact
  double poisson_ratio = 0.25;          // likewise
  double adhesion = 0.0;                // Pa, over the contact's area
  // Coefficient of rolling and twisting friction; unset: that of what it touches, else 0.
  std::optional<double> rolling_friction;
  double inertia = 0.4;               // of a grain about its center, in m r^2
  std::optional<double> restitution;  // speed of parting by that of approach (dem, vts, sp); unset: what a method has
  glm::vec3 color{0.76f, 0.64f, 0.42f};  // linear RGB
  Finish finish = Finish::sand;
  double wetness = 0.0;  // share of the pores at the surface that water fills, in pictures
};

// The adhesion that gives a bulk of equal grains so much tensile strength, both Pa, after H. Rumpf (1970): strength =
// p Z F / (pi d^2) with F = adhesion x 0.0298 pi r^2 (shared::adhesion_area), and Z = 5.6 contacts a grain in a packing
// of p = 0.6 as they settle here.
inline double adhesion_for(double tensile_strength) {
  return 40.0 * tensile_strength;
}

struct Domain {
  glm::dvec3 min{-1.0, -1.0, 0.0};  // m
  glm::dvec3 max{1.0, 1.0, 2.0};    // m
  std::array<Axis, 3> axis{Axis::wall, Axis::wall, Axis::wall};
  glm::dvec3 gravity{0.0, 0.0, -9.81};  // m/s2
  // Coulomb coefficients of contacts between a grain and a wall; unset: those of the grain's material.
  std::optional<double> friction_static, friction_kinetic;
  std::optional<double> adhesion;          // Pa, of a grain to a wall; unset: that of the grain's material
  std::optional<double> rolling_friction;  // of a grain on a wall; unset: that of the grain's material
  std::optional<double> restitution;       // of a grain with a wall; unset: that of the grain's material
};

// Radii, mean overlap at rest that it asks for. convergence.h has what forces are at others.
inline constexpr double overlap_of(Accuracy accuracy) {
  return accuracy == Accuracy::forces ? 0.004 : 0.015;
}

// Of a scene that names none.
inline constexpr Method default_method = Method::dem;

// Each setting names the methods that read it. The values here are p2's; default_solver() gives those of the others.
struct Solver {
  Method method = Method::p2;
  Iteration iteration = Iteration::jacobi;
  int iterations = 5;                           // per substep; dem: always 1
  int substeps = 0;                             // per step; 0: as many as choose_substeps() finds
  double overlap = overlap_of(Accuracy::fast);  // radii, mean overlap at rest that choose_substeps() aims for
  bool contact_memory = true;             // p2, vts, sp: friction holds over substeps, so that heaps rest (dem always)
  bool rotation = true;                   // grains rotate
  bool sleep = false;                     // dem, whose default is true: grains at rest sleep
  Averaging averaging = Averaging::mass;  // p2, pbd
  FrictionBound friction = FrictionBound::accumulated;  // pbd
  Neighbours neighbours = Neighbours::sorted;
  bool incremental_rebuild = true;             // sorted: lists are searched again only where grains have moved
  Detection detection = Detection::lists;      // no key of a scene file
  Stiffness stiffness = Stiffness::numerical;  // dem
  ContactLaw contact = ContactLaw::linear;     // dem; hertz: with the stiffness of the material
  double error_reduction = 0.0;                // p2: share eps by which the upper grain of a contact moves more, 0 .. 1
  double sleep_speed = 0.0;                    // m/s, p2: a touching grain slower than this stays where it is; 0: off
  double mass_scaling = 0.0;                   // 1/m, pbd: mass falls with height above the floor as exp(-k z)
  int stabilization = 0;              // pbd: contact iterations at the start of a substep that move x and p together
  double sor = 1.0;                   // pbd: over-relaxation, 1 .. 2
  double omega = 0.5;                 // vts, sp: relaxation
  double beta_a = 1.0, beta_b = 0.6;  // improved_jacobi: momentum min(a (l / l_max)^b, 1) in iteration l
  double gamma = 0.5;                 // vts: share of an overlap that a substep takes out
  double kv = 0.1, kc = 1.0;          // sp: share of velocity and of position error in the residual
  double warm_start = 0.5;            // vts, sp: share of the last substep's impulses that an iteration starts from
  int cloth_iterations = 1;           // of the distances within cloth, in each iteration of the contacts; dem: in all
  bool cloth_momentum = true;         // .. each with momentum from the one before

  // p2, pbd: do a grain's contacts share its mass by weight?
  bool shares_by_weight() const {
    return (method == Method::p2 || method == Method::pbd) && iteration == Iteration::jacobi &&
           averaging == Averaging::mass;
  }
  bool operator==(const Solver&) const = default;
};

// The settings that suit a method, and its iteration and contact memory where they are named. An iteration or a memory
// that the method does not have gives those of the method's own.
Solver default_solver(Method method, std::optional<Iteration> iteration = {}, std::optional<bool> contact_memory = {});

// The iterations that a method has, its default first; none for dem.
std::span<const Iteration> iterations_of(Method method);

// Whether a scene may choose: pbd and pja have no contact memory, dem always has one.
bool memory_optional(Method method, Iteration iteration);

// Parts of a body or of what grains fill, in their own frame, about the origin; what is round is so about z. Lengths m.
struct PlanePart {  // all below z = 0
  bool operator==(const PlanePart&) const = default;
};
struct BoxPart {
  glm::dvec3 size;  // edges
  bool operator==(const BoxPart&) const = default;
};
struct SpherePart {
  double radius;
  bool operator==(const SpherePart&) const = default;
};
struct CapsulePart {
  double radius, height;  // height: with its round ends
  bool operator==(const CapsulePart&) const = default;
};
struct ConePart {  // truncated; a cylinder has two equal radii
  double radius, top_radius, height;
  bool operator==(const ConePart&) const = default;
};
struct TorusPart {
  double radius, section;  // of the ring, of what it is made of
  bool operator==(const TorusPart&) const = default;
};
// How grains meet a mesh: by a distance field baked from it; by its triangles; as a skin of fixed grains on it (Sommer
// and Schwanecke 2022).
enum class MeshAs { sdf, triangles, particles };
struct MeshPart {
  std::string file;              // as the scene names it, from the scene's folder; empty: a gear
  std::optional<GearSpec> gear;  // instead of a file
  double scale = 1.0;            // m per unit of the file
  std::optional<UpAxis> up;      // of the file
  MeshAs as = MeshAs::sdf;
  double cell = 0.0;    // sdf: m; 0: half the radius of the smallest grain
  double radius = 0.0;  // particles: m, of the grains; 0: of the largest grain of the scene
  std::shared_ptr<const LoadedMesh> loaded;
  std::string where;  // "FILE:LINE:COLUMN: key", and whose it is, for messages; empty: not from a file
  bool operator==(const MeshPart&) const = default;
};
using PartShape = std::variant<PlanePart, BoxPart, SpherePart, CapsulePart, ConePart, TorusPart, MeshPart>;

// rotation: about the fixed axes x, then y, then z, in degrees.
struct BodyPart {
  PartShape shape;
  glm::dvec3 position{0.0}, rotation{0.0};
  bool subtract = false;    // takes away from the parts before it
  bool after_fill = false;  // of a body: taken away once grains have been placed, which keep clear of the whole body
  bool operator==(const BodyPart&) const = default;
};

// Shapes that grains fill. Lengths m.
struct BoxFill {
  glm::dvec3 min, max;
};
struct SphereFill {
  glm::dvec3 center;
  double radius;
};
struct CylinderFill {  // axis along z
  glm::dvec3 base;
  double radius, height;
};
struct PointsFill {
  std::vector<glm::dvec3> points;
};
// The grains of a file (grain_file.h).
struct FileFill {
  std::string file;                      // as the scene names it, from the scene's folder
  double scale = 1.0;                    // m per unit of length of the file
  std::optional<std::uint32_t> frame;    // of those that the file has, from 0; unset: the last
  std::vector<std::uint32_t> materials;  // of the first types of the file, indices into Scene::materials; others are of
                                         // the group's material
  std::shared_ptr<const LoadedGrains> loaded;
};
struct SolidFill {
  std::vector<BodyPart>
      parts;  // put together in order, the first is solid, what is united has an end; meshes are closed
};
using Shape = std::variant<BoxFill, SphereFill, CylinderFill, PointsFill, FileFill, SolidFill>;

// Are grains where it says, each at a place of its own, in place of filling it?
inline bool says_places(const Shape& shape) {
  return std::holds_alternative<PointsFill>(shape) || std::holds_alternative<FileFill>(shape);
}

// How a shape is filled. poisson: random places at no overlap, dense. lattice: a cubic grid with edge spacing *
// diameter, every grain shifted at random by up to jitter times the free gap.
enum class Sampling { poisson, lattice };

// A clump as a rigid body, in the frame of its principal axes from its centre of mass. Lengths are in radii of the
// grain: of its largest sphere, or of the ball of a mesh's volume. Masses are in that of the clump.
struct ClumpShape {
  std::vector<glm::dvec4> spheres;  // xyz centre, w radius, in the order of Clump::spheres
  double volume = 0.0;              // of the union of the spheres, or of the mesh
  glm::dvec3 inertia{0.0};          // principal moments, the least one first
  double reach = 0.0;               // radius of the ball around the centre of mass that holds the spheres
  std::vector<double> weights;      // a_p of shaders/shared/laws/clump.h
};

// A rigid grain of 2 to 8 spheres that overlap or touch, as one body. Its shape is found once: copies share it.
class Clump {
public:
  // spheres: xyz centre, w radius, in a unit of its own: the largest radius is that of the grain. name: "pair" or
  // "tetrahedron"; empty: spheres are given. Throws SceneError for spheres that are no clump (misshapen).
  explicit Clump(std::vector<glm::dvec4> spheres, std::string name = "");
  // So many spheres within a closed mesh (inscribed_spheres), with the volume, the centre of mass and the inertia of
  // the mesh. The radius of the grain is that of the ball of its volume. Throws MeshError for a mesh that does not hold
  // so many, or that encloses nothing.
  Clump(MeshPart mesh, std::uint32_t spheres);

  const std::vector<glm::dvec4>& spheres() const { return spheres_; }
  const std::string& name() const { return name_; }
  const std::optional<MeshPart>& mesh() const { return mesh_; }
  const ClumpShape& shape() const { return *shape_; }

private:
  std::vector<glm::dvec4> spheres_;
  std::string name_;
  std::optional<MeshPart> mesh_;
  std::shared_ptr<const ClumpShape> shape_;
};

struct GrainGroup {
  std::uint32_t material = 0;                 // index into Scene::materials
  double radius_min = 0.0, radius_max = 0.0;  // m, uniform between; of a file with radii, its least and greatest one
  glm::dvec3 velocity{0.0};                   // m/s; added to those that a file has, as is the spin
  double velocity_random = 0.0;               // m/s, each component uniform within +- this, added
  glm::dvec3 spin{0.0};                       // rad/s, angular velocity
  double spin_random = 0.0;                   // rad/s, each component uniform within +- this, added
  Shape shape;
  Sampling sampling = Sampling::poisson;
  double spacing = 1.2;                // lattice: edge in diameters of the largest grain, >= 1
  double jitter = 1.0;                 // lattice: 0 .. 1
  std::optional<std::uint32_t> count;  // exactly so many grains; more than fit is an error. Unset: as many as fit
  bool fixed = false;                  // grains that nothing moves: rough floors, plates, obstacles
  std::optional<Clump> clump;          // each grain is one; radii are those of its largest sphere
  std::string where;                   // "FILE:LINE:COLUMN" of count or fill, for messages
};

// A body of particles that keep their places in it, each pushed towards its own (shape matching: Müller et al. 2005,
// Sommer and Schwanecke 2022). To all else they are grains; those of one shape do not touch each other.
struct ShapeSpec {
  std::string name;
  GrainGroup grains;       // its particles, of one radius
  glm::dvec3 spin{0.0};    // rad/s, about its center of mass
  double stiffness = 1.0;  // share of the way to its place that a particle goes in a step, 0 .. 1, above 0
};

// A flat rectangle of cloth around its origin, in the plane z = 0 of its frame.
struct ClothGrid {
  glm::dvec2 size{0.0};  // m
  glm::uvec2 cells{0};   // quads along x and y
};

// A sheet of cloth: vertices that keep their distances, and triangles that grains, bodies and the sheet itself touch on
// both faces, at half its thickness. Grains push it and are pushed back in the same iterations (Francu and Moldoveanu
// 2014, section 8.2).
struct ClothSpec {
  std::string name;
  std::uint32_t material = 0;               // index into Scene::materials: its friction, not its density
  std::variant<ClothGrid, MeshPart> sheet;  // of a mesh the triangles: file, scale, up and loaded count
  glm::dvec3 position{0.0}, rotation{0.0};  // as BodyPart's
  glm::dvec3 velocity{0.0};                 // m/s
  double density = 0.2;                     // kg/m2
  double thickness = 0.0;                   // m; at most half the shortest side of a triangle
  // Share of the error of a distance that a substep takes out: 1 keeps it, 0 leaves it free.
  double stretch = 1.0, shear = 0.5, bend = 0.1;
  std::vector<glm::dvec3> pins;    // m, in its frame: the vertex nearest to each is held where it is
  std::optional<BoxFill> pin_box;  // likewise, and all vertices within
  bool touches_itself = true;
  std::optional<glm::vec3> color;  // linear RGB; unset: its material's
};

// Emits grains inside a shape (not points) at random places inside it, without overlap among its own.
struct Emitter {
  std::uint32_t material = 0;
  double radius_min = 0.0, radius_max = 0.0;  // m
  glm::dvec3 velocity{0.0};                   // m/s
  Shape shape;
  double rate = 0.0;                   // grains per second
  double start = 0.0, stop = 0.0;      // s; stop <= Scene::end
  std::optional<std::uint32_t> count;  // at most
  std::optional<Clump> clump;          // each grain is one, turned at random; radii are as those of a GrainGroup
  std::string where;                   // "FILE:LINE:COLUMN", for messages
};

// Takes away, at the end of each step, the grains whose centre lies in it; fixed ones stay.
struct SinkSpec {
  std::string name;
  std::optional<std::uint32_t> material;    // takes no other; unset: all
  glm::dvec3 position{0.0}, rotation{0.0};  // as BodyPart's
  std::vector<BodyPart> parts;              // as BodySpec's; meshes are closed, none of particles
};

// How a body is drawn. cut: without its half towards the camera, so that it can be looked into.
enum class Show { solid, cut, hidden };

// How a body meets the ground of [soil]: as grains, which come out of it around the body, or by its surface.
enum class GroundContact { grains, surface };

// A solid that grains push against. Without a mass nothing moves it but its own motion and that of its parent, in whose
// frame all of it is; without a parent in the world. With a mass or a density it is dynamic: grains, bodies and walls
// push it and gravity pulls, and its motion is none (free) or a joint to its parent or the world, which says what is
// left to it; velocity and spin are those it starts with. A parent without a mass moves as it is told, and what is
// joined to it with it; one with a mass is pulled by the joint as the body is.
struct BodySpec {
  std::string name;
  std::optional<std::uint32_t> material;  // index into Scene::materials; unset: as the domain's walls
  std::string parent;                     // name of another body; empty: none
  std::string parent_where;               // as Formula::where
  glm::dvec3 position{0.0};               // m, of its origin, from where it moves
  glm::dvec3 rotation{0.0};               // as BodyPart::rotation
  glm::dvec3 velocity{0.0};               // m/s, of its origin
  glm::dvec3 spin{0.0};                   // rad/s, about its origin
  Motion motion;                          // instead of velocity and spin
  std::optional<double> mass;             // kg
  std::optional<double> density;          // kg/m3, instead of mass
  std::optional<glm::dvec3> center;       // m, of mass, in its frame; unset: that of its parts, evenly dense
  // kg m2, about the center of mass, along the axes of its frame; unset: that of its parts. Ixx Iyy Izz Ixy Ixz Iyz.
  std::optional<std::array<double, 6>> inertia;
  std::vector<std::string> ignores;  // names of bodies that it passes through, as an axle does its wheel
  std::string ignores_where;         // as Formula::where
  std::vector<BodyPart> parts;       // put together in order, the first is solid
  std::vector<BodyPart>
      visual;                 // drawn in place of parts, each as it is, and touched by nothing; empty: parts are drawn
  double load_filter = 0.05;  // s, time constant of the filtered force and torque; 0: not filtered
  std::optional<glm::vec3> color;  // linear RGB; unset: a grey blue
  std::optional<Finish> finish;    // unset: paint with a color, else metal
  Show show = Show::solid;
  GroundContact ground = GroundContact::grains;

  // Of a dynamic body that has been read: volume_of (engine/scene/mass.h) takes long. Of no use once the parts change.
  struct Weighed {
    std::vector<BodyPart> parts;
    VolumeProperties volume;
  };
  std::optional<Weighed> weighed;
};

inline bool is_dynamic(const BodySpec& body) {
  return body.mass || body.density;
}

// A joint between two bodies as they are at the start, in the world; at least one of them is dynamic. It closes chains
// that the joints of bodies' own tables leave open. Its value is 0 at the start, and nothing commands it.
struct JointSpec {
  std::string name;
  std::string body, parent;  // names of two bodies; parent empty: the world
  Joint joint;
};

struct Camera {
  std::optional<glm::dvec3> eye, target;  // m; unset: fitted to the domain's content
  double fov = 40.0;                      // degrees, vertical
  // Of pictures of the quality `film`.
  double aperture = 0.0;        // m, diameter of the lens; 0: a pinhole, to which all is sharp
  std::optional<double> focus;  // m, distance from the eye to the plane that is sharp; unset: that of the target
  double shutter = 0.0;         // s, exposure that ends at the time of the picture
};

// How a depth camera sees: from one point, or along parallel lines.
enum class Projection { perspective, orthographic };
// What its pixels are: the distance along its axis, or how high above domain.min.z what it sees lies.
enum class PixelValue { depth, height };

// A camera for programs: each pixel the distance of what it sees, in m.
struct DepthCameraSpec {
  std::string name;
  std::optional<std::uint32_t> body;  // index into Scene::bodies, in whose frame it is; unset: in the world
  glm::dvec3 position{0.0};           // m
  // As BodyPart::rotation: without one it looks along x, and z is up in its image.
  glm::dvec3 rotation{0.0};
  // m; instead of a rotation: z is up in its image as far as that goes, or y where it looks along z.
  std::optional<glm::dvec3> target;
  glm::uvec2 size{0};  // pixels
  Projection projection = Projection::perspective;
  double fov = 60.0;   // degrees, vertical; perspective
  double width = 0.0;  // m, of what it sees; orthographic
  double near = 0.01;  // m along its axis, where it begins to see
  double far = 0.0;    // m, and where it ends
  PixelValue values = PixelValue::depth;
};

// What colours the grains. material: its colour, each grain a little different; palette: its number; overlap: the
// greatest of a grain's contacts; contacts: how many there are; force: the greatest normal force of a contact; id: its
// number; radius: how large it is; spin: the magnitude of its angular velocity.
enum class ColorBy { material, speed, height, overlap, contacts, force, palette, id, world, radius, spin, activity };

// Which grains are drawn, where a scene has fine ones. fine: instead of the coarse ones that they stand for.
enum class Level { fine, coarse, both };

// How much work goes into a picture. docs/pictures.md says what each has.
enum class Quality { draft, good, film };

struct Output {
  Quality quality = Quality::good;
  ColorBy color_by = ColorBy::material;
  double speed_max = 0.0;  // m/s at the end of the colour scale; 0: automatic
  // Ends of the colour scale: m/s, m, radii, contacts, N, rad/s or numbers; not min < max: automatic.
  glm::dvec2 color_range{0.0};
  Level level = Level::fine;
};

// How fine grains go with the coarse ones. steady: at rest where those rest, and evenly among them. plain: as printed
// (Sommer and Schwanecke 2022, section 4), for comparisons.
enum class Advection { steady, plain };

// Fine grains that have no contacts with each other and follow the flow of the coarse ones, which have the physics
// (Ihmsen et al. 2012, Sommer and Schwanecke 2022). Those are the grains of [[grains]] that are not fixed, and of
// [[emitter]]; each brings its volume in fine grains of its material.
struct Upsampling {
  double radius_min = 0.0, radius_max = 0.0;  // m, uniform between; below that of all coarse grains
  double step = 0.0;                          // s, at most between two moves of fine grains; 0: see fine_step()
  double packing = 0.6;                       // share of the volume that fine grains fill where they lie dense
  double friction = 0.5;                      // Coulomb coefficient against walls and bodies
  Advection advection = Advection::steady;
  std::string where;  // as GrainGroup::where
};

// The surface of the ground from a file, or from a formula.
struct SoilSurface {
  std::string formula;                 // of x and y in the world [m]; empty: from the file
  std::string file;                    // relative to the scene's folder
  std::optional<glm::dvec2> min, max;  // m, corners of its area; see [soil.surface]
  std::optional<double> black, white;  // m, heights of the least and the greatest value of an image
  double scale = 1.0, offset = 0.0;    // m per unit of the file, and m, of a file of numbers
  std::optional<double> fill;          // m, where the file has no data; none: that is an error
  Resampling resampling = Resampling::bilinear;
  std::shared_ptr<const Heightmap> heights;  // m above domain.min.z; of a formula, three samples along each column
};

// A layer of the ground. It is as thick as this below the surface without parts, or below the layer above it.
struct SoilLayer {
  std::uint32_t material = 0;          // index into Scene::materials
  double thickness = 0.0;              // m
  std::optional<SoilSurface> varying;  // in place of thickness, by a formula: its heights are thicknesses
  std::optional<double> repose;        // degrees; none: Soil::repose. The first layer of a material gives it

  double at(const glm::dvec2& place) const;  // m, its thickness there
};

// Terramechanics says what the surface of the ground bears without grains: Bekker's pressure by depth
// p = (k_c / b + k_phi) z^n, and the shear stress (c + p tan(phi)) (1 - exp(-j / K)) of Janosi and Hanamoto by slip j.
struct Terramechanics {
  double cohesive = 0.0;            // N/m^(n + 1), k_c
  double frictional = 0.0;          // N/m^(n + 2), k_phi
  double exponent = 1.0;            // n
  std::optional<double> width;      // m, b: the lesser side of a body's patch of contact; given where k_c is not 0
  double cohesion = 0.0;            // Pa, c
  double friction_angle = 0.0;      // degrees, phi
  double shear = 0.0;               // m, K
  double rebound = 0.1;             // share of the depth that the surface comes back when nothing presses any more
  double slip_sinkage = 0.0;        // m of soil per m of slip that are carried away, at most
  std::optional<double> dig_depth;  // m, of a body that is deeper in the ground there are grains around it
};

// Ground as a grid of columns, each of a mass of soil, which becomes grains around bodies that move in it, and takes
// them in again where they have come to rest (Holz 2014, sections 7 and 8). z is up; it lies on domain.min.z.
struct Soil {
  std::uint32_t material = 0;                 // index into Scene::materials, of what lies below the layers
  std::vector<SoilLayer> layers;              // from the surface downwards
  double radius_min = 0.0, radius_max = 0.0;  // m, of its grains, uniform between
  glm::dvec2 min{0.0}, max{0.0};              // m, of the site
  double cell = 0.0;                          // m, edge of a column, which is fitted to the site; 0: 5 mean radii
  double height = 0.0;                        // m, of its level surface above domain.min.z
  std::optional<SoilSurface> surface;         // in place of height
  std::vector<BodyPart> parts;                // berms that are put on it and, subtracted, trenches, in order
  double repose = 34.0;                       // degrees: disturbed soil without grains is no steeper
  double margin = 8.0;                        // mean radii, by which the live zone reaches beyond a tool
  double compaction = 0.0;                    // of undisturbed soil, 0: as poured, 1: as poured without friction
  double swell = 1.3;                         // greatest volume of loosened soil by that of as much undisturbed soil
  std::optional<Terramechanics> terramechanics;
  std::string where;  // as GrainGroup::where
  double mean_radius() const { return (radius_min + radius_max) / 2.0; }
  glm::uvec2 columns() const;  // of the site, by `cell`: as many as fit whole, which are widened to fill it
  // Each once: that below the layers, and others from the surface downwards.
  std::vector<std::uint32_t> materials() const;
  double repose_of(std::uint32_t material) const;  // degrees, of one of these
};

struct Scene {
  std::string source;                 // file name, for messages
  std::vector<std::string> warnings;  // former names of keys in its text, one sentence each; advise() repeats them
  std::string title;
  std::uint64_t seed = 1;
  std::uint32_t worlds = 1;      // copies of all the rest, world w of seed + w, that do not see each other
  double dt = 0.004, end = 1.0;  // s
  Domain domain;
  Solver solver = default_solver(default_method);
  std::vector<Material> materials;
  std::vector<GrainGroup> grains;
  // Grains that the scene places in each other are moved apart before the start; no key of a scene file.
  bool parts_overlaps = true;
  std::vector<ShapeSpec> shapes;
  std::vector<ClothSpec> cloths;
  std::vector<Emitter> emitters;
  std::vector<BodySpec> bodies;
  std::vector<RobotSpec> robots;  // of bodies
  std::vector<JointSpec> joints;
  std::vector<SinkSpec> sinks;
  std::optional<Upsampling> upsampling;
  std::optional<Soil> soil;
  Camera camera;
  std::vector<DepthCameraSpec> depth_cameras;
  Output output;
};

// Calls visit(group) for all grains that are there at the start, those of shapes too.
void each_group(const Scene& scene, auto&& visit) {
  for (const GrainGroup& group : scene.grains)
    visit(group);
  for (const ShapeSpec& shape : scene.shapes)
    visit(shape.grains);
}

// Of all grains that the scene makes, m; 0 without grains.
struct RadiusRange {
  double min = 0.0, max = 0.0;
};
RadiusRange radii_of(const Scene& scene);

// Reads and checks FILE. overrides are "table.key=value" as after --set: an array of tables is addressed by position or
// by name (material.sand.density=1700, grains.0.radius=0.01). Throws SceneError for the first thing that is wrong.
Scene load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

// The same from text; name stands for the file in messages.
Scene parse_scene(const std::string& text, const std::string& name, const std::vector<std::string>& overrides = {});

// Substeps per step that keep the mean overlap at rest within solver.overlap and the fastest grain within half a radius
// per substep, from the scene alone; `why` is one sentence for the user. Throws SceneError where 1000 are too few.
struct SubstepChoice {
  int substeps;
  std::string why;
};
SubstepChoice choose_substeps(const Scene& scene);

// Settings that cannot work as asked for, one sentence each: they blow up, hang or flow.
std::vector<std::string> advise(const Scene& scene);

// Time between two moves of fine grains while all is slow [s]: a multiple of dt, at least dt.
double fine_step(const Scene& scene);

// One grain at its birth.
struct Seed {
  glm::vec3 position;  // m
  float radius;        // m
  glm::vec3 velocity;  // m/s
  std::uint32_t material;
  bool fixed = false;       // of infinite mass
  float mass = 0.0f;        // kg; 0: by the material's density
  glm::vec3 spin{0.0f};     // rad/s
  std::uint32_t clump = 0;  // of a sphere of a clump: what its tag says of that (shaders/shared/types.h)
  glm::vec4 turned{0.0f, 0.0f, 0.0f, 1.0f};  // quaternion xyzw: how its clump is turned
};
// The spheres of a clump follow one another.
struct ScheduledGrain {
  Seed seed;
  std::uint64_t step;         // first step that the grain takes part in, >= 1
  std::uint32_t emitter = 0;  // index into Scene::emitters
};
// A grain that stands for a piece of a body's skin.
struct BoundaryParticle {
  std::uint32_t body;  // index into Scene::bodies
  glm::dvec3 place;    // m, in the body
};
// A particle of a shape.
struct ShapedGrain {
  std::uint32_t shape;  // index into Scene::shapes
  glm::dvec3 place;     // m, from the center of mass
};
// A cloth's sheet, and which of Population::cloth_vertices are its.
struct ClothPlace {
  std::uint32_t cloth;  // index into Scene::cloths
  std::uint32_t first;  // vertex 0 of the sheet
  ClothSheet sheet;
};
// Every grain that ever lives: the initial ones (ids 0, 1, ..), of which those of shapes, then the vertices of cloth,
// then those of skins are the last, and then those poured, sorted by step (ids go on), where and when they are born if
// there is room. Depends on the scene and its
// seed alone. Throws SceneError where a group cannot hold the count asked for, a grain lies outside a wall, or a shape
// is too large for a periodic axis.
struct Population {
  std::vector<Seed> initial;
  std::vector<ShapedGrain> shaped;  // of those before skins, shape after shape
  std::vector<ClothPlace> cloths;
  std::uint32_t cloth_vertices = 0;        // of those before skins; in order of cloths
  std::vector<BoundaryParticle> boundary;  // of the last ones of `initial`
  std::vector<ScheduledGrain> scheduled;
  std::vector<Seed> fine;  // at the start
  std::vector<std::uint32_t>
      fine_first;  // of the fine grains of emitted ones, the first of scheduled[k]; one more: how many
  std::vector<std::vector<glm::vec3>> sites;  // in the shape of each emitter: places that hold its largest grain
  std::vector<std::string> warnings;          // emitters that cannot keep their rate, one sentence each
  std::vector<std::shared_ptr<const TriangleGrid>> grids;  // of bodies; kept for worlds that start anew
};
Population populate(const Scene& scene);

// Plans the emission anew by the scene as it is now, in a run that has done `steps`: grains emitted up to then stay.
// time_zero: s, of the start of step 1, as if dt had always been what it is now. there: grains that were poured, and
// that others must not be born into. Throws SceneError where an emitter's count finds no room.
void pour_anew(const Scene& scene, double time_zero, std::uint64_t steps, const std::vector<Seed>& there,
               Population& population);

// Has an emitter come to its end when a step begins? It releases grains up to the first one after its stop. time_zero:
// as above.
bool stopped(const Emitter& emitter, std::uint64_t step, double dt, double time_zero);

// Most fine grains of a scene, those of emitted grains too: their numbers share a word with the material.
inline constexpr std::size_t fine_most = std::size_t{1} << 24;

}  // namespace talus
