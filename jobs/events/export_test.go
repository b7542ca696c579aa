package events

// What the tests of this package see of it.
const DeliveryLifetime = deliveryLifetime

var DeliveryBackoff = deliveryBackoff
