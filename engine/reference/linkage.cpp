// Linkages: dynamic bodies that joints hold together. The impulses of all joints of a linkage are found at once, so
// that a chain of any length and ratio of masses is as stiff as one joint.
#include "engine/reference/rigid.h"
#include "engine/reference/space.h"
#include "shaders/shared/rest.h"

namespace talus::reference {
namespace {

#include "shaders/shared/laws/linkage.h"

// The share of a linkage of a world in the fields.
class OneLinkage {
public:
  OneLinkage(const Args& args, Fields& f, uint element)
      : f_(f), settings_(f.settings[0]), h_(args.h), substep_(args.substep),
        world_(element / f.settings[0].bodies.linkages), l_(f.linkages[element % f.settings[0].bodies.linkages]) {}

  // Decomposes A = J M^-1 J^T: its rows that hold exactly become L D L^T, with D in the diagonal, and the rows along
  // the axes become their Schur complement.
  void factor() {
    rest();
    for (uint k = 0; k < l_.joints; ++k)
      begin_joint(k);
    for (uint i = 0; i < l_.rows; ++i)
      row(i) = made_row(i);
    for (uint i = 0; i < l_.rows; ++i) {
      for (uint j = place(i).first; j <= i; ++j)
        at(i, j) = coupling(i, j);
      row(i).own = own_of(i, at(i, i));
    }
    for (uint j = 0; j < l_.equalities; ++j) {
      at(j, j) = std::max(yielding(j) - inner(j, j, j), 0.5f * joint_yield * row(j).own);
      for (uint i = j + 1; i < l_.rows; ++i)
        if (place(i).first <= j)
          at(i, j) = (at(i, j) - inner(i, j, j)) / at(j, j);
    }
    for (uint i = l_.equalities; i < l_.rows; ++i)
      for (uint k = l_.equalities; k <= i; ++k)
        at(i, k) -= inner(i, k, l_.equalities);
  }

  void solve() {
    std::vector<float> x(l_.rows);  // velocities, and of rows that hold what is to be made up for; then impulses
    for (uint i = 0; i < l_.rows; ++i) {
      const float velocity = velocity_of(i);
      x[i] = i < l_.equalities ? -velocity - row(i).bias : velocity;
    }
    for (uint j = 0; j < l_.equalities; ++j)
      for (uint i = j + 1; i < l_.rows; ++i)
        if (place(i).first <= j)
          x[i] += (i < l_.equalities ? -x[j] : x[j]) * at(i, j);
    drive_axes(x);
    for (uint j = 0; j < l_.equalities; ++j)
      x[j] /= at(j, j);
    for (uint i = l_.rows; i-- > 0;)
      for (uint j = place(i).first; j < std::min(i, l_.equalities); ++j)
        x[j] -= at(i, j) * x[i];
    for (uint i = 0; i < l_.rows; ++i)
      row(i).impulse = x[i];
    for (uint k = 0; k < l_.joints; ++k)
      load_joint(k);
    for (uint k = 0; k < l_.joints; ++k)
      add_to_axes(k, x);
    each_body([&](uint local) { move_body(local, x); });
  }

private:
  // Calls visit(body) for each dynamic body of the linkage, by its number in the world.
  template <class Visit> void each_body(Visit visit) {
    for (uint k = 0; k < l_.joints; ++k) {
      if (joint(k).moves & 1u)
        visit(joint(k).child);
      if (joint(k).moves & 2u)
        visit(joint(k).parent);
    }
  }

  // Its bodies fall asleep together, where all are ready and something touches one of them, and wake together.
  void rest() {
    if (settings_.sleep.window == 0)
      return;
    uint kinds = 0;
    bool touched = false;
    each_body([&](uint local) {
      const BodyRest& own = f_.rigid_states[body(local)].rest;
      kinds |= 1u << rest_kind(own.state);
      touched = touched || own.touched != 0;
    });
    const bool fall = kinds == 1u << rest_ready && touched,
               wake = (kinds & 1u << rest_asleep) != 0 && kinds != 1u << rest_asleep;
    each_body([&](uint local) {
      BodyRest& own = f_.rigid_states[body(local)].rest;
      if (fall)
        own.state = rest_asleep | rest_falling;
      else if (wake && rest_kind(own.state) == rest_asleep)
        own.state = rest_state(rest_awake, f_.worlds[world_].clock);
    });
  }

  const LinkJoint& joint(uint k) const { return f_.link_joints[l_.first_joint + k]; }
  LinkState& state(uint k) { return f_.link_states[world_ * settings_.bodies.joints + l_.first_joint + k]; }
  const LinkRowPlace& place(uint i) const { return f_.link_places[l_.first_row + i]; }
  LinkRow& row(uint i) { return f_.link_rows[world_ * settings_.bodies.joint_rows + l_.first_row + i]; }
  float& at(uint i, uint j) {
    TALUS_ASSERT(j >= place(i).first && j <= i && i < l_.rows, i, j);
    return f_.link_matrix[world_ * settings_.bodies.joint_words + l_.first_word + place(i).word + j - place(i).first];
  }
  uint body(uint local) const { return world_ * settings_.bodies.count + local; }

  // Over the columns before `end` that rows i and k have in common, of L D L^T.
  float inner(uint i, uint k, uint end) {
    float sum = 0.0f;
    for (uint j = std::max(place(i).first, place(k).first); j < end; ++j)
      sum += at(i, j) * (at(j, j) * at(k, j));
    return sum;
  }

  LinkPlace link_place_of(const LinkJoint& joint) const {
    const uint child = body(joint.child);
    const BodyMotion& m = f_.bodies[child].motion;
    vec3 between = m.position - joint.place, rest = f_.rigid_states[child].position_rest, pivot(0.0f);
    vec4 rotation(0.0f, 0.0f, 0.0f, 1.0f);
    if (joint.parent != no_body) {
      const uint parent = body(joint.parent);
      between = m.position - f_.bodies[parent].motion.position;
      rotation = f_.bodies[parent].motion.rotation;
      if (f_.rigid[parent].mass > 0.0f) {
        rest -= f_.rigid_states[parent].position_rest;
        pivot = f_.bodies[parent].pivot;
      }
    }
    return link_place(joint, rotation, pivot, m.rotation, f_.bodies[child].pivot, shortest(between, settings_) + rest);
  }

  void begin_joint(uint k) {
    state(k).value = link_value(joint(k).kind, link_place_of(joint(k)), state(k).value);
    state(k).before = substep_ == 0 ? LinkLoad{vec3(0.0f), vec3(0.0f), 0.0f} : state(k).load;
  }

  uint armature_row(uint k) const { return joint(k).first_row + link_equalities(joint(k).kind); }

  // Inverse mass along row i [1/kg or 1/(kg m2)]; the inertia of a rotor leaves 1 / (1/own + armature) of it.
  float own_of(uint i, float own) const {
    return i < l_.equalities ? own : own / (1.0f + joint(place(i).joint).armature * own);
  }

  // The diagonal of a row that holds, with its compliance.
  float yielding(uint i) {
    return place(i).part == joint_part_armature ? row(i).own + 1.0f / joint(place(i).joint).armature
                                                : (1.0f + joint_yield) * row(i).own;
  }

  LinkRow made_row(uint i) {
    const LinkJoint& j = joint(place(i).joint);
    const LinkPlace p = link_place_of(j);
    const uint part = place(i).part;
    LinkRow row;
    if (part == joint_part_armature) {
      row = axis_row(j.kind, 0, p, j.along, h_);
      row.bias = -state(place(i).joint).speed;
    } else if (part == joint_part_gear) {
      row = axis_row(j.kind, 0, p, j.along, h_);
      row.bias = std::min(joint_return / h_, gear_return) *
                 (state(place(i).joint).value - j.multiplier * state(j.leader).value - j.offset);
    } else {
      row = i < l_.equalities ? held_row(j.kind, part, p, h_) : axis_row(j.kind, part, p, j.along, h_);
    }
    const uint child = body(j.child);
    row.ease = vec2(0.0f, 1.0f / f_.rigid[child].mass);
    row.answer_child = f_.bodies[child].inverse_inertia * row.turn_child;
    row.answer_parent = vec3(0.0f);
    if (j.parent != no_body && f_.rigid[body(j.parent)].mass > 0.0f) {
      row.ease.x = 1.0f / f_.rigid[body(j.parent)].mass;
      row.answer_parent = f_.bodies[body(j.parent)].inverse_inertia * row.turn_parent;
    }
    row.own = row.impulse = 0.0f;
    return row;
  }

  // A row is a sum of terms, factor(t) times the row of term t, which a joint has between its two bodies.
  struct Term {
    const LinkRow& row;
    const LinkJoint& joint;
    float factor;
  };
  uint terms(uint i) const { return place(i).part == joint_part_gear ? 2 : 1; }
  Term term(uint i, uint t) {
    const LinkJoint& own = joint(place(i).joint);
    if (t == 0)
      return {row(i), own, 1.0f};
    return {row(joint(own.leader).axis_row), joint(own.leader), -own.multiplier};
  }

  float coupling(uint i, uint j) {
    float sum = 0.0f;
    for (uint s = 0; s < terms(i); ++s)
      for (uint t = 0; t < terms(j); ++t) {
        const Term a = term(i, s), b = term(j, t);
        sum += a.factor * b.factor *
               link_coupling(a.row, a.joint.parent, a.joint.child, b.row, b.joint.parent, b.joint.child);
      }
    return sum;
  }

  vec3 velocity_at_center(uint b) const { return velocity_at(f_.bodies[b].motion, f_.bodies[b].pivot); }

  float velocity_of(uint i) {
    float sum = 0.0f;
    for (uint t = 0; t < terms(i); ++t) {
      const Term a = term(i, t);
      const uint child = body(a.joint.child);
      vec3 velocity(0.0f), spin(0.0f);
      if (a.joint.parent != no_body) {
        velocity = velocity_at_center(body(a.joint.parent));
        spin = f_.bodies[body(a.joint.parent)].motion.spin;
      }
      sum += a.factor * link_velocity(a.row, velocity, spin, velocity_at_center(child), f_.bodies[child].motion.spin);
    }
    return sum;
  }

  bool locked(uint i) { return at(i, i) <= joint_locked * row(i).own; }

  // An impulse along row i, of those along axes.
  void push(std::vector<float>& speeds, std::vector<float>& impulses, uint i, float impulse) {
    impulses[i - l_.equalities] += impulse;
    for (uint k = l_.equalities; k < l_.rows; ++k)
      speeds[k] += at(std::max(i, k), std::min(i, k)) * impulse;
  }

  // Along the axes one after another, in sweeps. x: of these rows the velocities, then the impulses.
  void drive_axes(std::vector<float>& x) {
    std::vector<float> impulses(l_.rows - l_.equalities);
    float fastest = 0.0f;
    for (uint i = l_.equalities; i < l_.rows; ++i)
      fastest = std::max(fastest, std::abs(x[i]));
    for (uint sweep = 0; sweep < joint_sweeps; ++sweep) {
      float change = 0.0f;
      for (uint k = 0; k < l_.joints; ++k)
        if (joint(k).axis_rows > 0)
          change = std::max(change, joint(k).axis_rows == 1 ? drive_axis(k, x, impulses) : hold_ball(k, x, impulses));
      if (change <= joint_converged * fastest)
        break;
    }
    for (uint k = 0; k < l_.joints; ++k)
      if (joint(k).axis_rows == 1)
        state(k).speed = x[joint(k).axis_row];
    std::copy(impulses.begin(), impulses.end(), x.begin() + l_.equalities);
  }

  // Both return by how much the speed changes.
  float drive_axis(uint k, std::vector<float>& x, std::vector<float>& impulses) {
    const uint i = joint(k).axis_row;
    if (locked(i))
      return 0.0f;
    const float w = at(i, i), alone = x[i] - w * impulses[i - l_.equalities];
    const float speed =
        speed_by_axis(alone, w, state(k).value, joint(k).along, f_.rigid_commands[body(joint(k).child)], h_);
    const float before = x[i];
    push(x, impulses, i, (speed - alone) / w - impulses[i - l_.equalities]);
    return std::abs(x[i] - before);
  }

  float hold_ball(uint k, std::vector<float>& x, std::vector<float>& impulses) {
    const uint first = joint(k).axis_row, lean = first + 3, own = first - l_.equalities;
    const float most = h_ * joint(k).along.friction;
    float change = 0.0f;
    if (most > 0.0f) {
      const vec3 before(x[first], x[first + 1], x[first + 2]);
      for (uint i = first; i < lean; ++i)
        if (!locked(i))
          push(x, impulses, i, -x[i] / at(i, i));
      const float length = glm::length(vec3(impulses[own], impulses[own + 1], impulses[own + 2]));
      if (length > most)
        for (uint i = first; i < lean; ++i)
          push(x, impulses, i, (most / length - 1.0f) * impulses[i - l_.equalities]);
      change = glm::length(vec3(x[first], x[first + 1], x[first + 2]) - before);
    }
    if (!locked(lean)) {
      const float w = at(lean, lean), alone = x[lean] - w * impulses[own + 3], before = x[lean];
      push(x, impulses, lean, (std::min(alone, row(lean).bias) - alone) / w - impulses[own + 3]);
      change = std::max(change, std::abs(x[lean] - before));
    }
    return change;
  }

  // Impulses along axes become all that acts there, with those of joint k's rotor and gear. x: of all rows.
  void add_to_axes(uint k, std::vector<float>& x) {
    const LinkJoint& j = joint(k);
    if (j.armature > 0.0f)
      x[j.axis_row] += x[armature_row(k)];
    if (j.leader != no_joint) {
      x[j.axis_row] += x[j.gear_row];
      x[joint(j.leader).axis_row] -= j.multiplier * x[j.gear_row];
    }
  }

  void load_joint(uint k) {
    const LinkJoint& j = joint(k);
    LinkLoad load = state(k).before;
    for (uint i = j.first_row; i < j.first_row + link_equalities(j.kind); ++i) {
      load.impulse += row(i).impulse * row(i).linear;
      if (row(i).linear == vec3(0.0f))
        load.moment += row(i).impulse * row(i).turn_child;
    }
    if (j.axis_rows == 1)
      load.along += row(j.axis_row).impulse;
    else
      for (uint i = j.axis_row; i < j.axis_row + j.axis_rows; ++i)
        load.moment += row(i).impulse * row(i).turn_child;
    state(k).load = load;
  }

  // x: impulses along the rows, where that along an axis is all that acts there.
  void add_rows(uint local, uint k, uint first, uint end, const std::vector<float>& x, vec3& velocity, vec3& spin) {
    for (uint i = first; i < end; ++i) {
      const LinkRow& r = row(i);
      if (joint(k).child == local) {
        velocity += r.ease.y * x[i] * r.linear;
        spin += x[i] * r.answer_child;
      }
      if (joint(k).parent == local) {
        velocity -= r.ease.x * x[i] * r.linear;
        spin -= x[i] * r.answer_parent;
      }
    }
  }

  void move_body(uint local, const std::vector<float>& x) {
    Body& b = f_.bodies[body(local)];
    vec3 velocity = velocity_at(b.motion, b.pivot), spin = b.motion.spin;
    for (uint k = 0; k < l_.joints; ++k) {
      const LinkJoint& j = joint(k);
      add_rows(local, k, j.first_row, j.first_row + link_equalities(j.kind), x, velocity, spin);
      add_rows(local, k, j.axis_row, j.axis_row + j.axis_rows, x, velocity, spin);
    }
    b.motion.velocity = velocity - glm::cross(spin, b.pivot);
    b.motion.spin = spin;
  }

  Fields& f_;
  const Settings& settings_;
  float h_;
  uint substep_, world_;
  const Linkage& l_;
};

}  // namespace

void link_factor(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  for (uint e = begin; e < end; ++e)
    OneLinkage(args, f, e).factor();
}

void link_solve(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  for (uint e = begin; e < end; ++e)
    OneLinkage(args, f, e).solve();
}

}  // namespace talus::reference
