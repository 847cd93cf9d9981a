// The rotation nearest to a matrix a: of all R that with the greatest trace of a R^T, found from q on, so that it goes on from there where
// several are equally near (a flat, straight or mirrored). A rotation vector is found again and again and added (Müller et al. 2016); here
// it is that of Newton's method, and further from the maximum that of Levenberg and Marquardt, which goes uphill.
#include "shared/rotation.glsl"

const uint rotation_steps = 32u;
const float rotation_least = 1e-4;  // of a's length: what a does not tell stays

// Solves a symmetric matrix for b, if it is positive definite.
bool solve_positive(mat3 m, vec3 b, out vec3 x) {
  mat3 adjoint = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
  float det = dot(m[0], adjoint[0]);
  x = det > 0.0 ? adjoint * b / det : vec3(0.0);
  return m[0][0] > 0.0 && adjoint[2][2] > 0.0 && det > 0.0;
}

vec4 extract_rotation(mat3 a, vec4 q) {
  float size = sqrt(dot(a[0], a[0]) + dot(a[1], a[1]) + dot(a[2], a[2]));
  if (!(size > 0.0 && size < 1e30))
    return q;
  a /= size;
  for (uint k = 0u; k < rotation_steps; ++k) {
    mat3 r = matrix_of(q), m = a * transpose(r);
    vec3 uphill = cross(r[0], a[0]) + cross(r[1], a[1]) + cross(r[2], a[2]), turn;
    mat3 bend = mat3(m[0][0] + m[1][1] + m[2][2]) - 0.5 * (m + transpose(m));
    float more = rotation_least;
    while (!solve_positive(bend + mat3(more), uphill, turn) && more < 4.0)
      more *= 4.0;
    float way = length(turn);
    if (more > 100.0 * rotation_least && way < 0.1) {  // nothing leads uphill: half a turn away
      turn = vec3(0.5, 0.4, 0.3);
      way = length(turn);
    }
    q = then_turned(q, turn_by(way > 1.0 ? turn / way : turn));
    if (way < 1e-7)
      break;
  }
  return q;
}
