// A linkage of a world: a workgroup works on it. What passes have in common that find how its joints move it.
#include "shared/pass.glsl"
#include "shared/rotation.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 3, scalar) readonly buffer RigidBlock { Rigid rigid[]; };
layout(set = 0, binding = 4, scalar) readonly buffer LinkageBlock { Linkage linkages[]; };
layout(set = 0, binding = 5, scalar) readonly buffer JointBlock { LinkJoint link_joints[]; };
layout(set = 0, binding = 6, scalar) readonly buffer PlaceBlock { LinkRowPlace link_places[]; };
layout(set = 0, binding = 7, scalar) coherent buffer RowBlock { LinkRow link_rows[]; };
layout(set = 0, binding = 8, scalar) coherent buffer MatrixBlock { float link_matrix[]; };
layout(set = 0, binding = 9, scalar) coherent buffer LinkStateBlock { LinkState link_states[]; };
#include "shared/laws/linkage.h"

uint world;
Linkage linkage;

// The same for all threads.
bool begin_linkage() {
  uint group = group_index();
  if (status.halt != halt_none || group >= settings.worlds.count * settings.bodies.linkages)
    return false;
  world = group / settings.bodies.linkages;
  linkage = linkages[group % settings.bodies.linkages];
  return true;
}

void wait_for_all() {
  memoryBarrierBuffer();
  barrier();
}

#define JOINT(k) link_joints[linkage.first_joint + (k)]
#define STATE(k) link_states[world * settings.bodies.joints + linkage.first_joint + (k)]
#define PLACE(i) link_places[linkage.first_row + (i)]
#define ROW(i) link_rows[world * settings.bodies.joint_rows + linkage.first_row + (i)]
#define AT(i, j) link_matrix[world * settings.bodies.joint_words + linkage.first_word + PLACE(i).word + (j) - PLACE(i).first]

// A row is a sum of terms: `factor` times row `row`, which joint `joint` has between its two bodies. That of a gear has two.
struct Term {
  uint row;
  uint joint;
  float factor;
};
uint terms(uint i) { return PLACE(i).part == joint_part_gear ? 2u : 1u; }
Term term(uint i, uint t) {
  uint own = PLACE(i).joint;
  if (t == 0u)
    return Term(i, own, 1.0);
  return Term(JOINT(JOINT(own).leader).axis_row, JOINT(own).leader, -JOINT(own).multiplier);
}

uint body_in_world(uint local) { return world * settings.bodies.count + local; }
