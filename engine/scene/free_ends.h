#pragma once
// Subtracted parts whose ends lie outside the body.
#include "engine/scene/scene.h"

namespace talus {

// The distance from a body is max(a, -b), where a is the distance from the parts before and b that from a subtracted
// part. Outside the body's surface, a > 0, it is less than the distance from any point of the body where an end of the
// subtracted part is near: a grain of radius r that comes to a hole through a plate would touch the end of the hole's
// cylinder, in the air above the plate, where that end is less than 2 r above it. From an end that is e above the
// plate, the least distance is e/2, halfway between both. Methods that solve for speeds brake a grain of speed v before
// it touches, where e/2 - r < v h (h: the substep): an end 2 r out held grains up, which a lifted tube took along. None
// that moves by less than r/2 in a substep, which is the limit for fast grains, is braked by an end 3 r out.
inline constexpr double end_touched = 0.5, end_met = 0.75;  // shares of `clear`

// Returns the parts with such ends moved outwards until they are `clear` [m] further out, of 4 r: the same body, since
// an end is moved only where there is nothing to take away. hemmed: the numbers of subtracted parts with an end that is
// partly outside the body, where grains touch it in the air, and cannot be moved, since the body is before the rest of
// it.
struct FreeEnds {
  std::vector<BodyPart> parts;
  std::vector<std::size_t> hemmed;
};
FreeEnds free_ends(const std::vector<BodyPart>& parts, double clear);

}  // namespace talus
