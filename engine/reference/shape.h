#pragma once
// How particles that have moved are turned.
#include "engine/geometry/pose.h"

namespace talus::reference {

// The rotation nearest to a matrix: of all R that with the greatest trace of matrix R^T, found from q on, so that it
// goes on from there where several are equally near (a matrix that is flat, straight, mirrored or 0).
glm::dquat extract_rotation(const glm::dmat3& matrix, glm::dquat q);

}  // namespace talus::reference
