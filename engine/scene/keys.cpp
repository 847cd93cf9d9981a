// The description of a scene file's tables and keys, leaves first, and the reference that is made of it.
#include "engine/scene/keys.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <vector>

namespace talus::reading {

namespace {

using Type = Key::Type;

constexpr Key number(std::string_view name, Range range, Fallback fallback, std::string_view about) {
  return {.type = Type::number, .name = name, .range = range, .fallback = fallback, .about = about};
}
constexpr Key whole(std::string_view name, std::int64_t least, std::int64_t most, Fallback fallback,
                    std::string_view about) {
  return {.type = Type::whole, .name = name, .least = least, .most = most, .fallback = fallback, .about = about};
}
constexpr Key vector(std::string_view name, Range range, Fallback fallback, std::string_view about) {
  return {.type = Type::vector, .name = name, .range = range, .fallback = fallback, .about = about};
}
constexpr Key flag(std::string_view name, Fallback fallback, std::string_view about) {
  return {.type = Type::flag, .name = name, .fallback = fallback, .about = about};
}
template <class E> constexpr Key word(std::string_view name, Fallback fallback, std::string_view about) {
  return {.type = Type::word, .name = name, .words = words<E>, .fallback = fallback, .about = about};
}
constexpr Key text(std::string_view name, Fallback fallback, std::string_view about) {
  return {.type = Type::text, .name = name, .fallback = fallback, .about = about};
}
constexpr Key table(std::string_view name, const TableKeys& keys, Fallback fallback, std::string_view about) {
  return {.type = Type::table, .name = name, .table = &keys, .fallback = fallback, .about = about};
}
constexpr Key tables(std::string_view name, const TableKeys& keys, Fallback fallback, std::string_view about) {
  return {.type = Type::tables, .name = name, .table = &keys, .fallback = fallback, .about = about};
}
// A key of several types, or of a type of its own. range is that of its numbers.
constexpr Key other(std::string_view name, std::string_view form, Range range, Fallback fallback,
                    std::string_view about) {
  return {.name = name, .range = range, .form = form, .fallback = fallback, .about = about};
}
constexpr Key other(std::string_view name, std::string_view form, std::int64_t least, std::int64_t most,
                    Fallback fallback, std::string_view about) {
  return {.name = name, .least = least, .most = most, .form = form, .fallback = fallback, .about = about};
}

constexpr std::array<double, 3> xyz(double x, double y, double z) {
  return {x, y, z};
}
constexpr std::array<double, 3> zero = xyz(0, 0, 0);
constexpr Said none{"none"};

constexpr Key static_friction(Fallback fallback) {
  return number("friction_static", friction_range, fallback,
                "Coulomb coefficient of a contact that sticks. Given alone, it is that of a sliding contact too.");
}
constexpr Key kinetic_friction(Fallback fallback) {
  return number("friction_kinetic", friction_range, fallback,
                "Coulomb coefficient of a contact that slides, at most `friction_static`. Given alone, it is that of a "
                "sticking contact too.");
}

// [scene], [time], [domain]

constexpr Key scene_keys[] = {
    text("title", "", "Name of the scene in the window and in reports."),
    whole("seed", 0, std::numeric_limits<std::int64_t>::max(), 1,
          "Seed of all random numbers: equal seeds give equal grains on every platform."),
    whole("worlds", 1, 4096, 1,
          "Number of independent copies of the scene in one simulation. World w, counted from 0, has the seed `seed` + "
          "w. Upsampling is not available with several worlds, and pictures show the first one."),
};
constexpr TableKeys scene_table{"[scene]", "", scene_keys, {}};

constexpr Key time_keys[] = {
    number("dt", {1e-7, 1, "s"}, 0.004, "Length of a step, which is divided into `solver.substeps` substeps."),
    number("end", time_range, 1, "Simulated time at which a run ends."),
};
constexpr TableKeys time_table{"[time]", "", time_keys, {}};

constexpr OldWord axis_words_then[] = {{"recirculate", "periodic"}};
constexpr std::string_view about_axis = "Both ends of the axis. A periodic axis must be at least 12 radii of the "
                                        "largest grain long.";
constexpr std::string_view with_restitution = "dem, vts and sp";
constexpr Key domain_keys[] = {
    vector("min", place_range, xyz(-1, -1, 0),
           "Lower corner of the domain. Positions are float32, hence an error where they are coarser than 1 % of the "
           "smallest radius, and a warning from 0.1 % on."),
    vector("max", place_range, xyz(1, 1, 2), "Upper corner of the domain."),
    text("file", none,
         "File of grains ([docs/interop.md](interop.md#grains-from-files)), from the scene's folder, whose box is the "
         "domain: it gives min, max and the periodic axes where the keys of these names do not."),
    number("scale", {1e-9, 1e9, "m per unit of the file"}, 1, "Length of a unit of `file`."),
    word<Axis>("x", "wall", about_axis).was(axis_words_then),
    word<Axis>("y", "wall", about_axis).was(axis_words_then),
    word<Axis>("z", "wall", about_axis).was(axis_words_then),
    vector("gravity", {-1e4, 1e4, "m/s2"}, xyz(0, 0, -9.81), "Acceleration by gravity."),
    number("friction", friction_range, Said{"that of the grain's material"},
           "Coulomb coefficient between grain and wall, sticking and sliding."),
    static_friction(Said{"that of the grain's material"}),
    kinetic_friction(Said{"that of the grain's material"}),
    number("adhesion", adhesion_range, Said{"that of the grain's material"},
           "Tensile stress between grain and wall over the area of their contact."),
    number("rolling_friction", friction_range, Said{"that of the grain's material"},
           "Coefficient of rolling and twisting friction between grain and wall."),
    number("restitution", restitution_range, Said{"that of the grain's material"},
           "Coefficient of restitution between grain and wall, or a body without a material.")
        .read_by(with_restitution),
    flag(
        "rough", false,
        "A layer of fixed grains covers the floor: spheres at rest on it lie in hollows, where those on a smooth floor "
        "roll away. They are a quarter of their diameter apart, on a lattice out of which each is shaken by up to an "
        "eighth, and as large as the mean of the first `[[grains]]` that move, or else of the "
        "first "
        "`[[emitter]]`, and of that material. Needs a wall below, and sides that are walls or periodic."),
};
constexpr TableKeys domain_table{
    "[domain]",
    "Grains that leave through an open end are simulated on outside. What leaves through one end of a periodic axis "
    "comes in at the other with its velocity, and grains touch across it; reports and metrics count the grains that "
    "pass (`periodic_crossings`).",
    domain_keys,
    {}};

// [solver]

constexpr std::string_view by_impulses = "vts and sp", by_momentum = "vts and sp with iteration = \"improved_jacobi\"";
constexpr Key solver_keys[] = {
    word<Method>("method", "dem",
                 "dem: one explicit pass of springs and dampers per substep; vts: velocity time stepping by contact "
                 "impulses; sp: sequential positions; p2: Parallel Particles, visco-elastic corrections of positions; "
                 "pbd: position-based dynamics."),
    word<Iteration>("iteration", Said{"improved_jacobi for vts and sp, jacobi for p2 and pbd"},
                    "Order of the contact iterations. dem has none, improved_jacobi is of vts and sp alone, pja of vts "
                    "alone, and gauss_seidel runs on the CPU alone.")
        .read_by("p2, pbd, vts and sp"),
    flag("contact_memory", Said{"true where the method has one"},
         "Contacts keep their tangential displacement from substep to substep, so that heaps rest. dem always has this "
         "memory; pbd and pja have none."),
    flag("rotation", true,
         "Grains rotate. Friction acts at their surfaces and turns them; without rotation it acts at their centers.")
        .read_by("all methods"),
    flag("sleep", true,
         "Grains at rest sleep: what is computed follows what moves. Contact forces stay, and whatever reaches a "
         "sleeper "
         "wakes it. Without effect in scenes without gravity, or with cloth, clumps or shape-matched bodies.")
        .read_by("dem"),
    other("substeps", "integer or `\"auto\"`", 1, 1000, "auto",
          "Substeps per step. \"auto\" chooses the fewest that keep the mean overlap at rest within `overlap` and the "
          "fastest grain within half a radius per substep, and prints why."),
    whole("iterations", 1, 1000, 5, "Contact iterations per substep.").read_by("p2, pbd, vts and sp"),
    number("overlap", {1e-4, 1, "radii"}, 0.015, "Mean overlap at rest that `substeps = \"auto\"` aims at.")
        .read_by("all methods"),
    word<Accuracy>("accuracy", "fast",
                   "What `substeps = \"auto\"` aims at: fast is overlap = 0.015, at which the force on a blade is a "
                   "third lower than with stiff contacts, and forces is overlap = 0.004, at which it is an eighth "
                   "lower, with twice the substeps. Not beside `overlap`.")
        .read_by("all methods"),
    word<Neighbours>("neighbours", "sorted",
                     "Cells in which neighbours are searched: sorted keeps grains in memory in the order of their "
                     "cells, linked keeps a linked list per cell.")
        .read_by("all methods"),
    flag("incremental_rebuild", true,
         "Neighbour lists are rebuilt only for displaced grains while these are few; false rebuilds the lists of all "
         "grains. Without effect in scenes with cloth and in several worlds.")
        .read_by("neighbours = \"sorted\"")
        .was("mending"),
    word<Averaging>("averaging", "mass",
                    "How the corrections of a grain's contacts are combined. mass: each contact moves a share of the "
                    "grain's mass, which keeps momentum; plain: their unweighted mean as in the papers, which loses "
                    "momentum where grains have different numbers of contacts.")
        .read_by("p2 and pbd with iteration = \"jacobi\""),
    word<FrictionBound>("friction", "accumulated",
                        "Normal correction that bounds friction: that accumulated over the iterations of a substep, "
                        "that of each iteration as in the papers, or, applied once afterwards, the one that bears the "
                        "grain's own weight.")
        .read_by("pbd"),
    word<Stiffness>("stiffness", "numerical",
                    "Stiffness of a contact: numerical is tied to the substep and always stable; material is the "
                    "`stiffness` of the material.")
        .read_by("dem"),
    word<ContactLaw>(
        "contact", "linear",
        "Law of a contact. linear: its normal force is proportional to the overlap. hertz: 4/3 E* sqrt(R*) "
        "overlap^1.5 after Hertz, with Mindlin's stiffness across it, from `young_modulus` and "
        "`poisson_ratio` of the materials; it implies `stiffness = \"material\"`.")
        .read_by("dem"),
    number("error_reduction", {0, 1}, Said{"0 with contact memory, else 0.5"},
           "Fraction by which the upper grain of a contact is corrected more than the lower one.")
        .read_by("p2"),
    number("sleep_speed", {0, 100, "m/s"}, 0, "A grain in contact that is slower than this stays at rest; 0: off.")
        .read_by("p2"),
    number("mass_scaling", {0, 1000, "1/m"}, 0, "Factor k by which mass falls with the height z as exp(-k z).")
        .read_by("pbd"),
    whole("stabilization", 0, 100, 0, "Contact iterations at the start of a substep that do not change velocities.")
        .read_by("pbd"),
    number("sor", {1, 2}, 1, "Factor of over-relaxation of combined corrections.")
        .read_by("pbd with iteration = \"jacobi\""),
    number("omega", {0.01, 2},
           Said{"vts with improved_jacobi 0.5; sp with improved_jacobi, jacobi and pja 0.3; mass_splitting and "
                "gauss_seidel 1"},
           "Relaxation factor of an iteration.")
        .read_by(by_impulses),
    number("beta_a", {0, 10}, Said{"0.5 with contact memory, else 1"},
           "Factor a of the momentum min(a (l / l_max)^b, 1) of iteration l.")
        .read_by(by_momentum),
    number("beta_b", {0, 10}, 0.6, "Exponent b of the momentum min(a (l / l_max)^b, 1) of iteration l.")
        .read_by(by_momentum),
    number("gamma", {0, 1}, Said{"0.5; pja 0.8"}, "Fraction of an overlap that a substep corrects.").read_by("vts"),
    number("kv", {0, 1}, 0.1, "Fraction of the velocity error in the residual.").read_by("sp"),
    number("kc", {0.01, 1}, 1, "Fraction of the position error in the residual.").read_by("sp"),
    whole("cloth_iterations", 1, 100, Said{"1; dem 4"},
          "Iterations of the distances within cloth, in each contact iteration; dem: per substep.")
        .read_by("all methods"),
    flag("cloth_momentum", true, "Each iteration of cloth takes momentum from the one before, which converges faster.")
        .read_by("all methods"),
    number("warm_start", {0, 0.99}, Said{"0.5 with contact memory, else 0"},
           "Fraction of the last substep's impulses that the iterations start from.")
        .read_by(by_impulses),
};
constexpr TableKeys solver_table{
    "[solver]",
    "A setting that the method does not read is an error, which names the methods that read it. `--set "
    "'solver={method=\"dem\"}'` replaces the whole table.",
    solver_keys,
    {}};

// [[material]]

constexpr Key material_keys[] = {
    text("name", Said{"that of the preset; required without one"},
         "Name, which differs from those of other materials."),
    other("preset", "word", {}, none,
          "sand, gravel, glass_beads, steel_balls, wet_sand, loam or clay: values of the keys that are left out, "
          "see [scenes/README.md](../scenes/README.md#materials)."),
    number("density", {1e-3, 1e6, "kg/m3"}, Said{"1600, or that of the preset"},
           "Density of a grain, not of the bulk."),
    number("stiffness", {1e-3, 1e15, "N/m"}, 1e6,
           "Normal stiffness of a contact, of p2 and of dem with `solver.stiffness = \"material\"`."),
    number("damping", {0, 1e15, "N s/m"}, Said{"0.1 stiffness x substep; dem: 0.11 of critical"},
           "Normal damping of a contact."),
    number("young_modulus", {1e3, 1e13, "Pa"}, Said{"required with `solver.contact = \"hertz\"`"},
           "Young's modulus. A softer one than that of the solid takes fewer substeps, which go with its power 0.4."),
    number("poisson_ratio", {0, 0.5}, 0.25, "Poisson's ratio, with `solver.contact = \"hertz\"`."),
    number("adhesion", adhesion_range, Said{"0, or that of the preset"},
           "Tensile stress over the area of a contact, pi r^2 (1 - (d/r - 1)^2) with the smaller radius r and the "
           "overlap d (p2) or d = 0.015 r (vts, sp, dem). pbd has none."),
    number("tensile_strength", adhesion_range, Said{"0.025 adhesion"},
           "Tensile strength of the bulk, whatever the size of its grains: in place of adhesion, which is 40 times as "
           "much."),
    number("rolling_friction", friction_range, Said{"that of the preset, else that of what it touches, or 0"},
           "Coefficient of rolling and twisting friction: the greatest couple of a contact is this times its normal "
           "force times r1 r2 / (r1 + r2); on a surface, r. Two materials have the geometric "
           "mean, or that of the one that gives it. Without effect where grains do not rotate."),
    number("inertia", {0.4, 1}, 0.4,
           "Moment of inertia of a grain in m r^2: 0.4 of a solid sphere, 2/3 of a hollow one."),
    number("restitution", restitution_range, none,
           "Coefficient of restitution: the speed with which two grains part, by that of their approach. Two materials "
           "have the geometric mean, or that of the one that gives it. Without it, dem gives 0.68 to 0.80 by where in "
           "a substep they meet, and vts and sp 0. With it, a collision gives it within 0.03; what is below 0.7 makes "
           "the contacts of dem softer, so that `substeps = \"auto\"` takes more substeps. With adhesion, dem takes "
           "the damping that goes with it.")
        .read_by(with_restitution),
    vector("color", color_range, Said{"that of the preset, else one of its own"}, "Linear RGB."),
    word<Finish>(
        "finish", Said{"that of the preset, else sand"},
        "How its surface reflects light in pictures: [Pictures](pictures.md). sand, gravel and soil: grains of "
        "a mixture of minerals, whose mean is the color."),
    number("wetness", {0, 1}, Said{"0, or that of the preset"},
           "Share of the pores at the surface that water fills, in pictures: wet grains are darker and glossier."),
    number("friction", friction_range, Said{"0.5, or that of the preset"},
           "Coulomb coefficient, sticking and sliding."),
    static_friction(Said{"0.5, or that of the preset"}),
    kinetic_friction(Said{"0.5, or that of the preset"}),
};
constexpr TableKeys material_table{"[[material]]", "A scene has at most 255 materials.", material_keys, {}};

// Geometries: bodies and sinks consist of them, grains fill them, emitters release grains in them.

constexpr Key placed_keys[] = {
    vector("position", place_range, zero, "Position of its centre, or of the origin of a mesh."),
    vector("rotation", angle_range, zero, "Rotation about the fixed axes x, then y, then z."),
};
constexpr Said without_corners{"required without `min` and `max`"}, with_corners{"required without `size`"};
constexpr Key box_keys[] = {
    vector("size", length_range, without_corners, "Lengths of its edges."),
    vector("min", place_range, with_corners, "Lower corner, in place of size, position and rotation."),
    vector("max", place_range, with_corners, "Upper corner."),
};
constexpr TableKeys plane_table{"plane",
                                "The half-space below z = 0. What grains fill needs an end, so that a plane "
                                "is there allowed with `subtract = true` alone.",
                                {},
                                placed_keys};
constexpr TableKeys box_table{"box", "", box_keys, placed_keys};
constexpr Key sphere_keys[] = {
    number("radius", length_range, required, "Radius."),
    vector("center", place_range, Said{"`position`"}, "Position of its centre, in place of `position`."),
};
constexpr TableKeys sphere_table{"sphere", "", sphere_keys, placed_keys};
constexpr Key capsule_keys[] = {
    number("radius", length_range, required, "Radius."),
    number("height", length_range, required, "Length along z with its round ends: at least twice the radius."),
};
constexpr TableKeys capsule_table{"capsule", "", capsule_keys, placed_keys};
constexpr Key base_key =
    vector("base", place_range, Said{"`position`"}, "Middle of its lower end, in place of position and rotation.");
constexpr Key cylinder_keys[] = {
    number("radius", length_range, required, "Radius."),
    number("height", length_range, required, "Length along z."),
    base_key,
};
constexpr TableKeys cylinder_table{"cylinder", "", cylinder_keys, placed_keys};
constexpr Key cone_keys[] = {
    number("radius", length_range, required, "Radius of its lower end."),
    number("top_radius", {0, length_range.max, "m"}, 0, "Radius of its upper end."),
    number("height", length_range, required, "Length along z."),
    base_key,
};
constexpr TableKeys cone_table{"cone", "A cone, or a truncated one.", cone_keys, placed_keys};
constexpr Key torus_keys[] = {
    number("radius", length_range, required, "Distance from the z axis to the middle of the tube."),
    number("tube_radius", length_range, required, "Radius of the tube.").was("section"),
};
constexpr TableKeys torus_table{"torus", "A ring around z.", torus_keys, placed_keys};

constexpr Key as_key =
    word<MeshAs>("as", "sdf",
                 "Collision geometry. sdf: a signed distance field, for closed meshes, the fastest; triangles: the "
                 "nearest triangles, with exact edges, also of open meshes; particles: boundary particles on the "
                 "surface, the slowest, for comparison.");
constexpr Key cell_key = number("cell", length_range, Said{"half the radius of the smallest grain"},
                                "Edge of a cell of the distance field, with `as = \"sdf\"`.");
constexpr Key boundary_radius_key = number("radius", radius_range, Said{"that of the largest grain"},
                                           "Radius of boundary particles, with `as = \"particles\"`.");
constexpr Key file_key =
    text("file", required, "OBJ, STL, PLY, glTF, GLB or COLLADA (.dae) file, relative to the folder of the scene.");
constexpr Key scale_key = number("scale", {1e-6, 1e6, "m per unit of the file"}, 1, "Length of a unit of the file.");
constexpr Key up_key =
    word<UpAxis>("up", Said{"y of glTF and GLB, what a COLLADA file says, else z"}, "Axis of the file that becomes z.");
constexpr Key sheet_mesh_keys[] = {file_key, scale_key, up_key};
constexpr Key met_mesh_keys[] = {file_key, scale_key, up_key, as_key, cell_key, boundary_radius_key};
constexpr TableKeys met_mesh_table{"mesh of a body",
                                   "Holes, flipped and repeated faces are repaired, and a note says so.", met_mesh_keys,
                                   placed_keys};
constexpr TableKeys filled_mesh_table{"mesh of a fill, an emitter or a sink", "The mesh must be closed.",
                                      sheet_mesh_keys, placed_keys};
constexpr TableKeys sheet_mesh_table{"mesh of a [[cloth]]", "It may be open, and its holes stay.", sheet_mesh_keys, {}};

constexpr Key met_gear_keys[] = {
    number("module", length_range, required, "Pitch diameter over the number of teeth."),
    whole("teeth", 4, 1000, required, "Number of teeth."),
    number("width", length_range, required, "Length along z."),
    number("helix_angle", {-60, 60, "degrees"}, 0, "Helix angle on the pitch circle; positive is right-handed."),
    number("pressure_angle", {10, 35, "degrees"}, 20, "Pressure angle."),
    number("bore_radius", {0, length_range.max, "m"}, 0, "Radius of its bore; 0: none."),
    whole("samples", 1, 100, 8, "Segments of the flank of a tooth."),
    as_key,
    cell_key,
    boundary_radius_key,
};
constexpr std::string_view about_gear = "An involute gear around z. Two gears of one module and opposite helix angles "
                                        "mesh at the distance module (n1 + n2) / 2 for n1 and n2 teeth.";
constexpr TableKeys met_gear_table{"gear of a body", about_gear, met_gear_keys, placed_keys};
constexpr TableKeys filled_gear_table{"gear of a fill, an emitter or a sink", about_gear,
                                      std::span(met_gear_keys).first<7>(), placed_keys};

// The geometries that a part or a body may have. mesh and gear are those of the use.
template <const TableKeys& mesh, const TableKeys& gear>
constexpr std::array part_keys{
    table("plane", plane_table, none, "Half-space."),
    table("box", box_table, none, "Box."),
    table("sphere", sphere_table, none, "Sphere."),
    table("capsule", capsule_table, none, "Cylinder along z with round ends."),
    table("cylinder", cylinder_table, none, "Cylinder along z."),
    table("cone", cone_table, none, "Cone along z."),
    table("torus", torus_table, none, "Ring around z."),
    table("mesh", mesh, none, "Triangle mesh from a file."),
    table("gear", gear, none, "Involute gear around z."),
};
constexpr TableKeys drawn_mesh_table{"mesh of a visual part", "It may be open, and its holes stay.", sheet_mesh_keys,
                                     placed_keys};
constexpr auto& drawn_parts = part_keys<drawn_mesh_table, filled_gear_table>;
constexpr auto& met_parts = part_keys<met_mesh_table, met_gear_table>;
constexpr auto& filled_parts = part_keys<filled_mesh_table, filled_gear_table>;

constexpr Key part_place_keys[] = {
    vector("position", place_range, Said{"that of the geometry"}, "Position in the body, fill, emitter or sink."),
    vector("rotation", angle_range, Said{"that of the geometry"}, "Rotation about the fixed axes x, then y, then z."),
    flag("subtract", false, "Subtracts the part from those before it in place of adding it."),
    flag("after_fill", false,
         "Subtracts it once grains have been placed, which keep clear of the whole body: a hole that "
         "opens at the start. Beside `subtract = true`, after all other parts."),
};
constexpr std::string_view about_part = "A part has one geometry. Its position and rotation stand in the geometry or "
                                        "beside it, not in both.";
constexpr TableKeys met_part_table{"part of a body", about_part, met_parts, part_place_keys};
constexpr TableKeys drawn_part_table{"visual part of a body", about_part, drawn_parts,
                                     std::span(part_place_keys).first<2>()};
constexpr TableKeys filled_part_table{"part of a fill, an emitter or a sink", about_part, filled_parts,
                                      std::span(part_place_keys).first<3>()};

constexpr std::string_view about_parts = "Parts that are united or subtracted in this order, in place of one geometry.";
constexpr std::array fill_keys{filled_parts[1], filled_parts[2], filled_parts[4],
                               filled_parts[3], filled_parts[5], filled_parts[6],
                               filled_parts[7], filled_parts[8], tables("parts", filled_part_table, none, about_parts)};
constexpr Key points_keys[] = {
    other("points", "list of [x, y, z]", place_range, none, "Centres of single grains, in this order."),
};
constexpr std::string_view about_fill =
    "One of these geometries. It lies within the walls and the periodic ends of the "
    "domain.";
constexpr Key scale_of_grains = number("scale", {1e-9, 1e9, "m per unit of the file"}, 1,
                                       "Length of a unit of `file`: of places, radii and, per second, velocities.");
constexpr Key grains_fill_keys[] = {
    points_keys[0],
    text(
        "file", none,
        "File of grains, from the scene's folder: csv, extxyz, vtp, vtkhdf, gsd, ply, or a dump or data file of LAMMPS "
        "([docs/interop.md](interop.md#grains-from-files)). What it says of radii, velocities and spins the grains "
        "have."),
    scale_of_grains,
    whole("frame", 0, 1'000'000'000, Said{"the last"}, "Which of the frames of `file`, from 0."),
    other("materials", "list of names", {}, none,
          "Materials of the types of the grains in `file`, in the order of these; grains of other types are of "
          "`material`."),
};
constexpr TableKeys grains_fill_table{"fill of [[grains]]", about_fill, fill_keys, grains_fill_keys};
constexpr TableKeys fill_table{"fill of [[shape_matched_body]]", about_fill, fill_keys, points_keys};
constexpr TableKeys emissions_due_table{"shape of an [[emitter]]", about_fill, fill_keys, {}};

// [[grains]], [[shape_matched_body]], [[emitter]], [[sink]]

constexpr Key clump_mesh_keys[] = {
    text("mesh", required,
         "File of a closed mesh, from the scene's folder: OBJ, STL, PLY, glTF, GLB, COLLADA. Its size has no meaning."),
    whole("spheres", 2, shared::clump_spheres_most, 8,
          "Number of spheres within the mesh, by which the clump touches: the largest one, then one after another the "
          "one that covers most of what is not covered yet."),
};
constexpr TableKeys clump_mesh_table{
    "clump of [[grains]] and [[emitter]]",
    "A clump that stands for a mesh, with the volume, the centre of mass and the inertia of that mesh. `radius` is the "
    "radius of the ball of the same volume.",
    clump_mesh_keys,
    {}};
constexpr Key clump_key =
    other("clump", "\"pair\", \"tetrahedron\", list of [x, y, z, radius] or table", Range{-1e6, 1e6}, Said{"a sphere"},
          "Each grain is a rigid clump of 2 to 8 spheres, which overlap or touch, with `solver.method` \"dem\". pair: "
          "two spheres whose centres are 1.6 radii apart; tetrahedron: four, 0.8 radii from their middle. A list is "
          "scaled so that its largest sphere has `radius`. A table names a mesh. Clumps are placed by the ball around "
          "them, turned at random.")
        .with(clump_mesh_table);

constexpr Key material_key = text("material", required, "Name of a material.");
constexpr Key radius_key = other("radius", "number or [min, max]", radius_range, required,
                                 "Radius of a grain; of two numbers it is uniform between them, max at most 100 min.");
constexpr Key grains_radius_key = other("radius", "number or [min, max]", radius_range,
                                        Said{"required unless `fill.file` says radii"}, radius_key.about);
constexpr Key velocity_key = vector("velocity", speed_range, zero, "Velocity at the start.");
constexpr Key grains_keys[] = {
    material_key,
    grains_radius_key,
    table("fill", grains_fill_table, required,
          "Geometry that grains fill; they lie wholly inside it and do not overlap."),
    velocity_key,
    number("velocity_random", {0, speed_range.max, "m/s"}, 0,
           "Random velocity that is added, each component uniform within +- this."),
    vector("spin", spin_range, zero, "Angular velocity at the start, with `solver.rotation`."),
    number("spin_random", {0, spin_range.max, "rad/s"}, 0,
           "Random angular velocity that is added, each component uniform within +- this."),
    whole("count", 1, grains_most, Said{"as many as fit"}, "Number of grains. That fewer fit is an error."),
    flag("fixed", false,
         "The grains stay where they are: rough floors, plates, obstacles. They have no velocity and no spin."),
    clump_key,
    word<Sampling>("sampling", "poisson",
                   "poisson: random positions, to about 37 % of the volume; lattice: a cubic lattice, filled in layers "
                   "from below."),
    number("spacing", {1, 1000, "diameters"}, 1.2, "Edge of the lattice, in diameters of the largest grain."),
    number("jitter", {0, 1}, 1,
           "Random displacement of a grain from the lattice, per axis, as a fraction of half the gap."),
};
constexpr TableKeys grains_table{"[[grains]]", "Grains that are there at the start.", grains_keys, {}};

constexpr Key matched_keys[] = {
    text("name", required, "Name, which differs from those of other shape-matched bodies."),
    material_key,
    number("radius", radius_range, required, "Radius of its particles."),
    table("fill", fill_table, required, "Geometry that its particles fill at random, to about 37 % of the volume."),
    velocity_key,
    vector("spin", spin_range, zero, "Angular velocity about its centre of mass at the start."),
    number("stiffness", {1e-6, 1}, 1,
           "Fraction of the way to its place in the body that a particle is moved in a step; 1: rigid."),
};
constexpr TableKeys matched_table{
    "[[shape_matched_body]]", "A body of particles that keep their arrangement by shape matching.", matched_keys, {}};

constexpr Key emitter_keys[] = {
    material_key,
    radius_key,
    number("rate", {1e-6, 1e9, "1/s"}, required, "Grains per second."),
    table("shape", emissions_due_table, required, "Geometry inside which grains appear at random positions."),
    vector("velocity", speed_range, zero, "Velocity with which grains are emitted."),
    number("start", time_range, 0, "Time at which the first grain is due."),
    number("stop", time_range, Said{"`time.end`"}, "Time at which it stops, not before `start`."),
    whole("count", 1, grains_most, Said{"unlimited"}, "Greatest number of grains."),
    clump_key,
};
constexpr TableKeys emitter_table{"[[emitter]]", "Grains that are poured.", emitter_keys, {}};

constexpr Key origin_keys[] = {
    vector("position", place_range, zero, "Position of its origin."),
    vector("rotation", angle_range, zero, "Rotation about the fixed axes x, then y, then z."),
};
constexpr Key sink_keys[] = {
    text("name", required, "Name, which differs from those of other sinks."),
    text("material", Said{"all"}, "Name of the material that it removes, and no other."),
    origin_keys[0],
    origin_keys[1],
    tables("parts", filled_part_table, none, about_parts),
};
constexpr TableKeys sink_table{"[[sink]]",
                               "Removes the grains whose centre lies in it at the end of a step. It has one geometry, "
                               "or parts.",
                               sink_keys, filled_parts};

// [[cloth]]

constexpr Key cloth_grid_keys[] = {
    other("size", "[x, y]", length_range, required, "Lengths of its edges."),
    other("cells", "[x, y]", 1, 2000, required, "Numbers of quads along x and y; each is two triangles."),
};
constexpr TableKeys cloth_grid_table{
    "grid of a [[cloth]]", "A rectangle around the origin in the plane z = 0.", cloth_grid_keys, {}};
constexpr Key pin_box_keys[] = {
    vector("min", place_range, required, "Lower corner, in the frame of the cloth."),
    vector("max", place_range, required, "Upper corner."),
};
constexpr TableKeys pin_box_table{"pin_box of a [[cloth]]", "", pin_box_keys, {}};
constexpr Key cloth_keys[] = {
    text("name", required, "Name, which differs from those of other cloths."),
    text("material", required, "Name of a material: its friction, and its adhesion to bodies and walls."),
    table("grid", cloth_grid_table, Said{"required without `mesh`"}, "Rectangular sheet."),
    table("mesh", sheet_mesh_table, Said{"required without `grid`"}, "Sheet of the triangles of a mesh."),
    origin_keys[0],
    origin_keys[1],
    velocity_key,
    number("density", {1e-6, 1e6, "kg/m2"}, 0.2, "Mass per area."),
    number("thickness", length_range, Said{"a tenth of the shortest side of its triangles"},
           "Thickness, at half of which it is touched on both faces; at most half the shortest side of its triangles."),
    number("stretch", {0, 1}, 1, "Fraction of the error of lengths along sides of triangles that a substep corrects."),
    number("shear", {0, 1}, 0.5, "The same along the diagonals of the quads of a grid."),
    number("bend", {0, 1}, 0.1, "The same between vertices that are two apart, or across each side of a mesh."),
    other("pins", "list of [x, y, z]", place_range, none,
          "Points in the frame of the cloth; the vertex nearest to each stays where it is."),
    table("pin_box", pin_box_table, none, "Box in the frame of the cloth; the vertices in it stay where they are."),
    flag("self_contact", true, "The sheet touches itself."),
    vector("color", color_range, Said{"that of the material"}, "Linear RGB."),
};
constexpr TableKeys cloth_table{
    "[[cloth]]", "A sheet that bends. A scene has at most 1,000,000 vertices of cloth.", cloth_keys, {}};

// [[body]]

constexpr Key keyframe_keys[] = {
    number("time", time_range, required, "Time, later than that of the keyframe before."),
    vector("position", place_range, none, "Displacement from the body's own position."),
    vector("rotation", angle_range, none,
           "Rotation from the body's own rotation, about fixed axes through its origin."),
};
constexpr TableKeys keyframe_table{
    "keyframe of a [[body]]", "At least one of position and rotation is given.", keyframe_keys, {}};
constexpr Key motion_keys[] = {
    other("position", "[x, y, z] of numbers and formulas of t", place_range, zero,
          "Displacement from the body's own position over the time t."),
    other("rotation", "[x, y, z] of numbers and formulas of t", {place_range.min, place_range.max, "degrees"}, zero,
          "Rotation from the body's own rotation over the time t."),
};
constexpr TableKeys motion_table{"motion of a [[body]]",
                                 "At least one of position and rotation is given. A formula is one of "
                                 "[muParser](https://beltoforion.de/en/muparser/), with t in s and pi: "
                                 "`\"0.1*sin(2*pi*t)\"`.",
                                 motion_keys,
                                 {}};
constexpr Key interpolation_key = word<Interpolation>(
    "interpolation", "smooth", "Between keyframes. smooth: monotone cubic; linear: straight, with jumps of velocity.");
constexpr Key repeat_key =
    flag("repeat", false, "The keyframes begin anew after the last one, which must equal the first.");
constexpr Key motor_keys[] = {
    other("speed", "number, formula of t, or list of [time, value]", {-1e6, 1e6, "degrees/s or m/s"}, none,
          "Speed that it drives the joint towards."),
    other("strength", "number", {0, 1e12, "N m or N"}, none, "Greatest torque or force, of a speed or a target."),
    other("target", "number, formula of t, or list of [time, value]", {-1e6, 1e6, "degrees or m"}, none,
          "Value that it pulls the joint towards, by stiffness (target - value) + damping (speed of the target - "
          "speed)."),
    other("stiffness", "number", {0, 1e12, "N m/rad or N/m"}, 0, "Of a motor with a target."),
    other("damping", "number", {0, 1e12, "N m s/rad or N s/m"}, 0, "Of a motor with a target."),
    other("torque", "number", {-1e12, 1e12, "N m or N"}, 0, "Torque or force that it gives whatever the joint does."),
    interpolation_key,
    repeat_key,
};
constexpr TableKeys motor_table{"motor of a joint",
                                "At least one of speed, target and torque is given. A program may change them.",
                                motor_keys,
                                {}};
constexpr Key spring_keys[] = {
    other("stiffness", "number", {0, 1e12, "N m/rad or N/m"}, 0, "Torque or force per angle or displacement."),
    other("damping", "number", {0, 1e12, "N m s/rad or N s/m"}, 0, "Torque or force per speed of the joint."),
    other("rest", "number", {-1e6, 1e6, "degrees or m"}, 0, "Value at which the spring is at rest."),
};
constexpr TableKeys spring_table{"spring of a joint", "", spring_keys, {}};

constexpr Key gear_keys[] = {
    text("body", required, "Name of the dynamic body whose joint it follows."),
    number("multiplier", {-1e6, 1e6}, 1, "Factor of the value of that joint, both in degrees or m."),
    other("offset", "number", {-1e6, 1e6, "degrees or m"}, 0, "Value where that of the other joint is 0."),
};
constexpr TableKeys gear_table{"gear of a joint",
                               "value = multiplier * value of the other joint + offset, whatever acts on either: what "
                               "moves one moves both. Both agree at the start.",
                               gear_keys,
                               {}};

constexpr Key joint_keys[] = {
    word<JointType>("type", required,
                    "revolute: turns about its axis; prismatic: slides along it; fixed: neither, of a dynamic body "
                    "only with a parent; ball: turns about the joint's origin in every way, of dynamic bodies."),
    vector("axis", {-1e6, 1e6}, xyz(0, 0, 1), "Axis in the joint's frame; its length does not matter, but is not 0."),
    vector("origin", place_range, zero, "Origin of the joint's frame in that of the parent."),
    vector("rotation", angle_range, zero, "Rotation of the joint's frame about the fixed axes x, then y, then z."),
    other("value", "number, formula of t, or list of [time, value]", {-1e6, 1e6, "degrees or m"}, 0,
          "Angle or displacement. Of a dynamic body it is a number, with which it starts."),
    interpolation_key,
    repeat_key,
    other("min", "number", {-1e6, 1e6, "degrees or m"}, none, "Least value. A ball joint has none."),
    other("max", "number", {-1e6, 1e6, "degrees or m"}, none,
          "Greatest value. Of a ball joint the greatest angle, from 0 to 180 degrees, by which its axis leans."),
    other("speed", "number", {1e-9, 1e9, "degrees/s or m/s"}, none,
          "Greatest speed, which limits commands. Not of a dynamic body."),
    other("acceleration", "number", {1e-9, 1e9, "degrees/s2 or m/s2"}, none,
          "Greatest acceleration, which limits commands. Not of a dynamic body."),
    other("start_speed", "number", {-1e6, 1e6, "degrees/s or m/s"}, 0, "Speed at the start, of a dynamic body."),
    other("friction", "number", {0, 1e12, "N m or N"}, 0,
          "Torque or force that the joint holds before it moves, and brakes with, of a dynamic body."),
    other("armature", "number", {0, 1e12, "kg m2 or kg"}, 0,
          "Inertia of a rotor that turns with the joint's value, times the gear ratio squared, of a dynamic body."),
    table("motor", motor_table, none, "Drive of the joint of a dynamic body."),
    table("spring", spring_table, none, "Spring and damper in the joint of a dynamic body."),
    table("gear", gear_table, none, "Another joint that the joint of a dynamic body follows."),
};
constexpr TableKeys joint_table{"joint of a [[body]]",
                                "Units are those of a revolute or a prismatic joint. The pose of a body is that of its "
                                "parent, then the joint's frame, then the joint's motion, then its own position and "
                                "rotation.",
                                joint_keys,
                                {}};

constexpr Key body_keys[] = {
    text("name", required, "Name, which differs from those of other bodies."),
    text("material", Said{"that of the walls"}, "Name of the material of its contacts with grains."),
    origin_keys[0],
    origin_keys[1],
    tables("parts", met_part_table, none,
           "Parts that are united or subtracted in this order, in place of one geometry. An empty list makes a frame, "
           "which nothing touches."),
    tables("visual", drawn_part_table, none,
           "Parts that are drawn and exported in place of the geometry above, each as it is. Nothing touches them, and "
           "depth "
           "cameras do not see them."),
    number("mass", {1e-9, 1e12, "kg"}, none, "Mass of the whole body, evenly dense, which makes it dynamic."),
    number("density", {1e-3, 1e6, "kg/m3"}, none, "Density, in place of mass, which makes it dynamic."),
    vector("center_of_mass", place_range, Said{"that of its parts, evenly dense"},
           "Center of mass in the body's frame, beside mass and inertia."),
    other("inertia", "[Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]", {-1e12, 1e12, "kg m2"},
          Said{"that of its parts, evenly dense"},
          "Moments and products of inertia about the center of mass, along the axes of the body's frame."),
    vector("velocity", speed_range, zero, "Velocity of its origin: constant, or of a dynamic body at the start."),
    vector("spin", spin_range, zero, "Angular velocity about its origin: constant, or of a dynamic body at the start."),
    tables("keyframes", keyframe_table, none, "Motion by keyframes, in place of velocity and spin."),
    interpolation_key,
    repeat_key,
    table("motion", motion_table, none, "Motion by formulas, in place of velocity and spin."),
    table("joint", joint_table, none, "Joint to the parent or the world, in place of velocity and spin."),
    text("parent", none,
         "Name of the body in whose frame it is and moves, or to which the joint of a dynamic body holds it."),
    other("ignores", "list of names", {}, none, "Bodies that it does not touch, both ways. Grains touch all bodies."),
    number("load_filter", {0, 1e6, "s"}, 0.05, "Time constant of the low-pass of its force and torque; 0: none."),
    vector("color", color_range, Said{"[0.2, 0.27, 0.35]"}, "Linear RGB."),
    word<Finish>("finish", Said{"paint with a color, else metal"},
                 "How its surface reflects light in pictures: [Pictures](pictures.md)."),
    word<Show>("show", "solid", "In pictures. cut: without its half towards the camera."),
    word<GroundContact>("ground", "grains",
                        "How it meets the ground of `[soil]`. grains: it becomes grains around the body; surface: its "
                        "surface bears the body without grains, by `[soil.terramechanics]`."),
};
constexpr TableKeys body_table{
    "[[body]]",
    "A solid that grains touch, with one geometry, or parts. It stands, or moves as the scene and commands say. With a "
    "mass or a density it is dynamic: moved by grains, other bodies and gravity. All worlds together have at most "
    "65,536 bodies.",
    body_keys, met_parts};

// [[robot]]

constexpr Key robot_mimic_keys[] = {
    text("joint", required, "Name of the joint that it follows."),
    number("multiplier", {-1e6, 1e6}, 1, "Factor of the value of that joint, both in degrees or m."),
    other("offset", "number", {-1e6, 1e6, "degrees or m"}, 0, "Value where that of the other joint is 0."),
};
constexpr TableKeys robot_mimic_table{"mimic of a link", "", robot_mimic_keys, {}};
constexpr Key robot_link_keys[] = {
    text("body", required, "Name of a [[body]]."),
    text("joint", none, "Name of the joint that the body hangs on, which is revolute or prismatic."),
    table("mimic", robot_mimic_table, none, "Another joint of the robot that the joint follows."),
};
constexpr TableKeys robot_link_table{"link of a [[robot]]", "", robot_link_keys, {}};
constexpr Key robot_keys[] = {
    text("name", required, "Name, which differs from those of other robots. The body of a link is called NAME/LINK."),
    text("file", Said{"required without `links`"}, "URDF file, relative to the folder of the scene."),
    other("packages", "table of paths by name", {}, Said{"searched in the folders above the file"},
          "Folders of packages that meshes are in, relative to the folder of the scene."),
    other("leave_out", "list of names", {}, none,
          "Links of the file that are left out, with all that hang on them: a gripper in whose place a tool is."),
    other("on_surface", "list of names", {}, none,
          "Links of the file that feel the ground by its surface, as a body with `ground = \"surface\"`: wheels."),
    vector("position", place_range, zero, "Position of the root link."),
    vector("rotation", angle_range, zero, "Rotation of the root link about the fixed axes x, then y, then z."),
    text("material", Said{"that of the walls"}, "Name of the material of the contacts of all links with grains."),
    word<MeshAs>("as", Said{"sdf of closed meshes, triangles of others"},
                 "Collision geometry of its meshes, as of `mesh` of a body."),
    cell_key,
    flag("visual", true, "Draws the visual geometry of links that have some, in place of what grains touch."),
    other("joints", "table of a number, a formula of t, or a list of [time, value] by joint",
          {-1e6, 1e6, "degrees or m"}, Said{"0, or the limit nearest to it"},
          "Angles or displacements. Joints that follow others (mimic) have none of their own."),
    interpolation_key,
    repeat_key,
    word<RobotDrive>(
        "drive", "prescribed",
        "What moves the joints: their values alone, motors that hold values or speeds with at most the effort "
        "of the file, or nothing. All but the first give the links behind joints that move their masses."),
    word<RobotBase>("base", "fixed", "What holds the root link: the world, or nothing, where links have masses."),
    other("stiffness", "number, or table of numbers by joint", {0, 1e12, "N m/rad or N/m"},
          Said{"required with `drive = \"position\"`"}, "Of the motors, which pull towards the joints' values."),
    other("damping", "number, or table of numbers by joint", {0, 1e12, "N m s/rad or N s/m"}, Said{"0.1 s * stiffness"},
          "Of the motors, by the difference of the joints' speeds from those of their values."),
    other("armature", "number, or table of numbers by joint", {0, 1e12, "kg m2 or kg"}, 0,
          "Inertia of the motors' rotors, times their gear ratios squared. Not with `drive = \"prescribed\"`."),
    tables("links", robot_link_table, none, "Bodies of the scene that are its links, in place of `file`."),
};
constexpr TableKeys robot_table{
    "[[robot]]",
    "A robot from a URDF file: each link becomes a body, which moves on its joint. Or names for joints of bodies.",
    robot_keys,
    {}};
constexpr Key between_keys[] = {
    text("name", required, "Name, which differs from those of other joints."),
    other("bodies", "list of one or two names", {}, required,
          "The body that it holds, and the one it holds it to; without the second: the world. One of them is dynamic."),
    word<JointType>("type", required, "As of a joint of a [[body]]."),
    vector("axis", {-1e6, 1e6}, xyz(0, 0, 1), "Axis in the joint's frame; its length does not matter, but is not 0."),
    vector("origin", place_range, zero, "Where the joint is at the start, in the world."),
    vector("rotation", angle_range, zero, "Rotation of the joint's frame about the fixed axes x, then y, then z."),
    other("min", "number", {-1e6, 1e6, "degrees or m"}, none, "Least value, at most 0. A ball joint has none."),
    other("max", "number", {-1e6, 1e6, "degrees or m"}, none,
          "Greatest value, at least 0. Of a ball joint the greatest angle by which its axis leans."),
    other("friction", "number", {0, 1e12, "N m or N"}, 0,
          "Torque or force that it holds before it moves, and brakes with."),
    other("armature", "number", {0, 1e12, "kg m2 or kg"}, 0, "Inertia of a rotor that turns with the joint's value."),
    table("spring", spring_table, none, "Spring and damper in the joint."),
};
constexpr TableKeys between_table{"[[joint]]",
                                  "A joint between two bodies as they are at the start, where its value is 0. It "
                                  "closes chains which the joints of the "
                                  "bodies' own tables leave open.",
                                  between_keys,
                                  {}};

// [upsampling], [soil], [camera], [[depth_camera]], [output]

constexpr Key upsampling_keys[] = {
    other("radius", "number or [min, max]", radius_range, required,
          "Radius of fine grains, below that of all coarse grains and at least a twentieth of it."),
    other("step", "number or `\"auto\"`", {0, 1, "s"}, "auto",
          "Time between two updates of their flow, from `time.dt` to 1 s; they are more frequent where coarse grains "
          "are fast. \"auto\": 1/60 s."),
    number("packing", {0.3, 0.74}, 0.6, "Packing fraction of fine grains where they are dense."),
    number("friction", friction_range, 0.5, "Coulomb coefficient against walls and bodies."),
    word<Advection>("advection", "steady",
                    "steady: even and at rest where the coarse grains rest; plain: as in the paper, for comparison."),
};
constexpr TableKeys upsampling_table{"[upsampling]",
                                     "Fine grains, which are drawn, follow the flow of the coarse grains, which are "
                                     "simulated. A scene has at most 2^24 fine grains.",
                                     upsampling_keys,
                                     {}};
constexpr Range height_range{-1e6, 1e6, "m"};
constexpr Key surface_keys[] = {
    text("file", required,
         "PNG file (grey, 8 or 16 bit), TIFF or GeoTIFF file (one channel; 8, 16 or, floats, 32 bit) or ASCII grid of "
         "ESRI (.asc), relative to the folder of the scene."),
    other("min", "[x, y]", place_range, Said{"that of the site"}, "Lower corner of the area of the samples."),
    other(
        "max", "[x, y]", place_range, Said{"by the cell size in the file, else that of the site"},
        "Upper corner of that area, which must cover the site. The upper edge of an image is that of the greatest y."),
    number("black", height_range, Said{"required of images"},
           "Height of the value 0 of an image of unsigned integers above the floor of the domain."),
    number("white", height_range, Said{"required of images"},
           "Height of its greatest value, 255 or 65535; others lie linearly between."),
    number("scale", {1e-9, 1e9, "m per unit of the file"}, 1,
           "Factor of the heights of other files: ASCII grids, floats, signed integers."),
    number("offset", height_range, 0, "Height above the floor of the domain that such a file calls 0."),
    number("fill", height_range, Said{"an error"}, "Height where the file has no data."),
    word<Resampling>(
        "interpolation", "bilinear",
        "Heights between samples. bilinear: from the centre of the area of one to that of the next; nearest: "
        "a sample is the height of all of its area, so that columns of the same edges have the heights of "
        "the file."),
};
constexpr TableKeys surface_table{
    "[soil.surface]",
    "Heights from a file. They lie above the floor of the domain and below its upper end. "
    "Parts are put on them and taken from them. Of a georeferenced file, the cell size "
    "counts, and the coordinates do not: `min` says where it lies.",
    surface_keys,
    {}};
constexpr Key soil_layer_keys[] = {
    text("material", required, "Name of the material of its grains."),
    other("thickness", "number or formula of x and y", {0, 1e6, "m"}, required,
          "How thick it is, everywhere or by the place in the world [m]: `\"0.3 + 0.05*x\"`."),
    number("angle_of_repose", {1, 60, "degrees"}, Said{"that of `[soil]`"},
           "Steepest slope of its soil that was dug and has become part of the ground again. Of several layers of a "
           "material the first gives it."),
};
constexpr TableKeys soil_layer_table{
    "[[soil.layer]]",
    "A layer on `soil.material`, from the surface downwards: the first one lies below the surface without `parts`, the "
    "next one below it. What parts put on the surface is of the first one's material. The layers and what lies below "
    "them have at most four materials. They consist of the same grains, packed as those of `soil.material`.",
    soil_layer_keys,
    {}};
constexpr Key terramechanics_keys[] = {
    number("frictional_modulus", {1, 1e12, "N/m^(n+2)"}, required,
           "k_phi of Bekker's pressure at a depth z, "
           "p = (k_c/b + k_phi) z^n."),
    number("cohesive_modulus", {0, 1e12, "N/m^(n+1)"}, 0, "k_c."),
    number("width", length_range, Said{"required where `cohesive_modulus` is not 0"},
           "b, the lesser side of the patch where a body touches the ground, as the width of a wheel."),
    number("exponent", {0.1, 3}, 1, "n."),
    number("cohesion", {0, 1e9, "Pa"}, 0, "c of the strength against shear, c + p tan(phi)."),
    number("friction_angle", {0, 60, "degrees"}, required, "phi, the angle of internal friction."),
    number("shear_displacement", length_range, required,
           "K of Janosi and Hanamoto: after a slip j the share 1 - exp(-j/K) of the strength acts."),
    number("rebound", {0, 1}, 0.1,
           "Share of its greatest depth by which the surface comes back when nothing presses any more. On this way the "
           "pressure is relieved, and a wheel behind its lowest point is borne. Loose sand has nearly none."),
    number("slip_sinkage", {0, 100}, 0,
           "How much soil a slip j carries away [m/m], of the depth e that is pressed: s j e / (e + K) with this s, so "
           "that a wheel which slips sinks deeper. Bekker's law knows of no slip: 0."),
    number("dig_depth", length_range, Said{"never"},
           "Where a body is deeper below the surface than this, the ground becomes grains around it, as it does around "
           "other bodies."),
};
constexpr TableKeys terramechanics_table{"[soil.terramechanics]",
                                         "What the surface of the ground bears under bodies with `ground = "
                                         "\"surface\"`, of whatever layer. Values are those "
                                         "of the field's tables, by plate sinkage and shear tests.",
                                         terramechanics_keys,
                                         {}};
constexpr Key soil_keys[] = {
    text("material", required, "Name of the material of its grains, below all layers."),
    tables("layer", soil_layer_table, none, "Layers of other materials on it."),
    other("radius", "number or [min, max]", radius_range, required,
          "Radius of its grains: one, or uniformly distributed between two."),
    other("min", "[x, y]", place_range, Said{"that of the domain"}, "Lower corner of the site."),
    other("max", "[x, y]", place_range, Said{"that of the domain"}, "Upper corner of the site."),
    number("cell", {1e-6, 1e6, "m"}, Said{"5 mean radii"},
           "Edge of a column, at least 4 radii of the largest grain. It is fitted to the site."),
    other("height", "number or formula of x and y", {0, 1e6, "m"}, Said{"required without `surface`"},
          "Height of the surface above the floor of the domain: of a level one, or as it varies with the place in the "
          "world [m]: `\"1 + 0.2*sin(2*pi*x/8)\"`. The greatest is at least 4 radii of the largest grain."),
    table("surface", surface_table, none, "Surface from a file, in place of `height`."),
    tables("parts", filled_part_table, none,
           "Solids that are put on the ground, and with `subtract` taken from it, in order."),
    number("angle_of_repose", {1, 60, "degrees"}, 34,
           "Steepest slope of soil that was dug and has become part of the ground again."),
    number("margin", {2, 1e6, "mean radii"}, 8,
           "How far soil becomes grains beyond the box around a body that moves. 4 makes forces 5 to 9 % too high; a "
           "margin that spans the site simulates all of it as grains."),
    number("compaction", {0, 1}, 0,
           "How densely undisturbed soil is packed. 0: as it comes to rest when it is poured; 1: as densely as it "
           "would without friction, rolling friction and adhesion between its grains. While it settles these are "
           "1 - `compaction` of those of its material."),
    number("swell", {1, 2}, 1.3,
           "Greatest volume of soil that was dug and has become part of the ground again, by that of as much "
           "undisturbed soil. Up to it the ground takes the volume from how the grains lie. 1: soil fills what it "
           "filled before."),
    table("terramechanics", terramechanics_table, none,
          "What its surface bears without grains: [Wheels on the ground](howto/wheels.md)."),
};
constexpr TableKeys soil_table{"[soil]",
                               "Ground that fills the site from the floor of the domain to its surface, as columns of "
                               "soil. Around bodies that move, and that reach into it, it becomes grains.",
                               soil_keys,
                               {}};

constexpr Key camera_keys[] = {
    vector("eye", place_range, Said{"fitted to the scene"}, "Position of the camera."),
    vector("target", place_range, Said{"fitted to the scene"}, "Point that it looks at."),
    number("fov", {1, 170, "degrees"}, 40, "Vertical field of view."),
    number("aperture", {0, 1e3, "m"}, 0, "Diameter of the lens, of pictures of the quality film; 0: all is sharp."),
    number("focus", length_range, Said{"that of the target"}, "Distance along the view of the plane that is sharp."),
    number("shutter", {0, 1e3, "s"}, 0,
           "Exposure, of pictures of the quality film: it ends at the time of the picture. 0: nothing is blurred by "
           "its motion."),
};
constexpr TableKeys camera_table{"[camera]", "The camera of pictures.", camera_keys, {}};

constexpr Key depth_camera_keys[] = {
    text("name", required, "Name, which differs from those of other depth cameras."),
    text("body", Said{"none: the world"}, "Name of the body in whose frame it is."),
    vector("position", place_range, zero, "Position."),
    vector("rotation", angle_range, zero,
           "Rotation about the fixed axes x, then y, then z. Without one it looks along x, and z is up."),
    vector("target", place_range, none, "Point that it looks at, in place of a rotation."),
    other("size", "[width, height]", 1, 8192, required, "Pixels; of all cameras in all worlds at most 2^25."),
    word<Projection>("projection", "perspective", "From one point, or along parallel lines."),
    number("fov", {1, 170, "degrees"}, 60, "Vertical field of view of a perspective camera."),
    number("width", length_range, Said{"required if orthographic"}, "Width of the view of an orthographic camera."),
    number("near", {0, length_range.max, "m"}, 0.01, "Distance along its axis where it begins to see."),
    number("far", length_range, required, "Distance along its axis where it ends to see, beyond `near`."),
    word<PixelValue>("values", "depth",
                     "depth: distance along the camera's axis, `far` where there is nothing; height: height above "
                     "`domain.min.z`, 0 where there is nothing."),
};
constexpr TableKeys depth_camera_table{
    "[[depth_camera]]", "A camera for programs, whose pixels are distances in m.", depth_camera_keys, {}};
constexpr OldWord color_words_then[] = {{"depth", "height"}};
constexpr Key output_keys[] = {
    word<ColorBy>(
        "color_by", "material",
        "Quantity that colours grains. height: the coordinate z in m; overlap: the "
        "greatest of its contacts, in radii; contacts: their number; force: their greatest normal force in "
        "N, on a logarithmic scale; palette: a colour per material, far from the others; spin: the magnitude of "
        "the angular velocity in rad/s; activity: 0 of grains that sleep (`solver.sleep`), 0.5 of sleepers that are "
        "watched, 1 of "
        "grains that are awake.")
        .was(color_words_then),
    number("speed_max", {0, 1e4, "m/s"}, 0, "End of the colour scale of speed; 0: automatic."),
    other("color_range", "[min, max]", {-1e12, 1e12, "as color_by"}, Said{"automatic"}, "Ends of the colour scale."),
    word<Level>(
        "level", "fine",
        "Grains that are drawn in a scene with `[upsampling]`. fine: the fine ones, and coarse ones that have none."),
    word<Quality>(
        "quality", "good",
        "Work that goes into a picture: [Pictures](pictures.md). draft: the least, for drivers without a GPU; "
        "film: many pictures in one, with the blur of a lens and of motion."),
};
constexpr TableKeys output_table{"[output]", "", output_keys, {}};

constexpr Said may_miss{"may be left out"};
constexpr Key file_keys[] = {
    table("scene", scene_table, may_miss, "Title, random seed, number of worlds."),
    table("time", time_table, may_miss, "Step and end."),
    table("domain", domain_table, may_miss, "Box of the simulation, its walls, gravity."),
    table("solver", solver_table, may_miss, "Method of contacts and its settings."),
    tables("material", material_table, may_miss, "Materials."),
    tables("grains", grains_table, may_miss, "Grains at the start."),
    tables("shape_matched_body", matched_table, may_miss, "Bodies of particles.").was("shape"),
    tables("cloth", cloth_table, may_miss, "Sheets that bend."),
    tables("emitter", emitter_table, may_miss, "Sources of grains."),
    tables("body", body_table, may_miss, "Solid bodies."),
    tables("robot", robot_table, may_miss, "Robots, whose links are bodies."),
    tables("joint", between_table, may_miss, "Joints that close chains of bodies."),
    tables("sink", sink_table, may_miss, "Regions that remove grains."),
    table("camera", camera_table, may_miss, "Camera of pictures."),
    tables("depth_camera", depth_camera_table, may_miss, "Cameras for programs."),
    table("upsampling", upsampling_table, may_miss, "Fine grains."),
    table("soil", soil_table, may_miss, "Ground that becomes grains where it is dug."),
    table("output", output_table, may_miss, "Colours of pictures."),
};
constexpr TableKeys file_table{"Tables of a scene file", "", file_keys, {}};

// The reference

std::string slug(std::string_view title) {
  std::string out;
  for (const char c : title)
    if (c == ' ')
      out += '-';
    else if (c == '_' || c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += c;
    else if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string link(const TableKeys& table) {
  std::string title;
  for (const char c : table.title) {
    if (c == '[' || c == ']')
      title += '\\';
    title += c;
  }
  return fmt::format("[{}](#{})", title, slug(table.title));
}

std::string type_of(const Key& key) {
  switch (key.type) {
  case Type::number:
    return "number";
  case Type::whole:
    return "integer";
  case Type::vector:
    return "[x, y, z]";
  case Type::flag:
    return "true or false";
  case Type::word:
    return "word";
  case Type::text:
    return "string";
  case Type::table:
    return "table";
  case Type::tables:
    return "list of tables";
  case Type::other:
    break;
  }
  return std::string(key.form);
}

std::string allowed_in(const Key& key) {
  if (key.table)
    return link(*key.table);
  if (!key.words.empty())
    return fmt::format("`\"{}\"`", fmt::join(key.words, "\"`, `\""));
  if (key.least < key.most)
    return fmt::format("{} .. {}", key.least, key.most);
  if (key.range.min < key.range.max)
    return key.range.min == -key.range.max ? fmt::format("+-{:g}", key.range.max)
                                           : fmt::format("{:g} .. {:g}", key.range.min, key.range.max);
  return "";
}

std::string default_of(const Key& key) {
  const Fallback& f = key.fallback;
  switch (f.kind) {
  case Fallback::Kind::required:
    return "required";
  case Fallback::Kind::number:
    return fmt::format("{:g}", f.numbers[0]);
  case Fallback::Kind::vector:
    return fmt::format("[{:g}, {:g}, {:g}]", f.numbers[0], f.numbers[1], f.numbers[2]);
  case Fallback::Kind::flag:
    return f.numbers[0] != 0.0 ? "true" : "false";
  case Fallback::Kind::word:
    return fmt::format("`\"{}\"`", f.text);
  case Fallback::Kind::said:
    break;
  }
  return std::string(f.text);
}

void write_table(std::string& out, const TableKeys& table) {
  out += fmt::format("\n## {}\n\n", table.title);
  if (!table.about.empty())
    out += fmt::format("{}\n\n", table.about);
  out += "| key | type | unit | allowed | default | meaning |\n|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Key& key = table[i];
    const bool must = key.fallback.kind == Fallback::Kind::required;
    std::string about(key.about);
    if (!key.readers.empty() && key.readers != "all methods")
      about += fmt::format(" Read by {}.", key.readers);
    if (!key.old_name.empty())
      about += fmt::format(" Formerly `{}`.", key.old_name);
    for (const OldWord& word : key.old_words)
      about += fmt::format(" Formerly also `\"{}\"`, for `\"{}\"`.", word.old, word.now);
    out += fmt::format("| {}{}{} | {} | {} | {} | {} | {} |\n", must ? "**" : "", key.name, must ? "**" : "",
                       type_of(key), key.range.unit, allowed_in(key), default_of(key), about);
  }
}

// Each table once, before those that its keys lead to.
void write_tables(std::string& out, const TableKeys& table, std::vector<const TableKeys*>& written) {
  if (std::ranges::find(written, &table) != written.end())
    return;
  written.push_back(&table);
  write_table(out, table);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (const TableKeys* inner = table[i].table)
      write_tables(out, *inner, written);
}

}  // namespace

const TableKeys& scene_file_keys() {
  return file_table;
}

}  // namespace talus::reading

namespace talus {

std::string scene_keys_text() {
  std::string out =
      "# Keys of a scene file\n\n"
      "`talus keys` prints this page from the loader's own description of the keys (`engine/scene/keys.cpp`); do not "
      "edit it.\n"
      "[scenes/README.md](../scenes/README.md) says how to write a scene.\n\n"
      "A scene is a TOML file in SI units, with z up. A bold key is required. An integer may stand for any number, and "
      "no number\n"
      "is `nan` or `inf`. `[x, y, z]` is a list of three numbers, each in the range that is allowed. `[name]` is one "
      "table,\n"
      "`[[name]]` a table that a scene may have several times.\n";
  std::vector<const reading::TableKeys*> written;
  reading::write_tables(out, reading::scene_file_keys(), written);
  return out;
}

}  // namespace talus
