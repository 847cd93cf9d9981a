// The contacts of a grain: slot of its k-th one, and who is on the other side. Needs settings, slice_start and contact_partner in scope.
#include "shared/row.glsl"
#include "shared/contact_geometry.glsl"
